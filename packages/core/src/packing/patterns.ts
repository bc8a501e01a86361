import type { Kind } from './kinds-of-transfers.ts';
import { tolerance } from './least-parts.ts';
import { mostValuable } from './most-valuable.ts';
import { partSetsOf } from './part-sets.ts';
import type { Pace, Steps } from './steps.ts';
import { TransactionLoad } from './transaction-load.ts';
import type { WeighedBatch, WeighedTransfer } from './weigh-batch.ts';

/** Transfers that fill a transaction, by how many there are of each kind, and how many transactions of this pattern there should be. */
export interface Pattern {
  counts: readonly number[];
  times: number;
}

/** What is known of packings from the patterns of their transactions. */
export interface PatternsFound {
  /** No packing has fewer transactions than this. */
  bound: number;
  /** Which together make all transfers with the fewest transactions, where parts of a transaction would count as such. */
  patterns: readonly Pattern[];
  /** What a transfer of each kind is worth in them. */
  values: readonly number[];
}

// So that no batch takes long.
const maxRounds = 1_000;
const leastSums = 3_000_000;
const sumsOfTransfer = 60_000;
// How much work it is to exchange a pattern, for each number that changes.
const unitsPerNumber = 0.0005;

/**
 * Returns a lower bound from patterns: how many transfers of which kinds fit into one transaction.
 *
 * A packing takes so many times each pattern. If parts of a transaction counted as such, its fewest would be the solution of a linear
 * program (Gilmore and Gomory, "A linear programming approach to the cutting-stock problem", 1961), and no packing has fewer. Each
 * round has values of all kinds and looks for a pattern that is worth more than 1 by them: it is exchanged for another. Where there is
 * none, or enough were looked for, there is a bound of what any transaction is worth, hence one of all packings, whatever the values
 * are: the worth of all transfers by it (Farley, "A note on bounding a class of linear programming problems", 1990).
 */
export function* findPatterns(batch: WeighedBatch, kinds: readonly Kind[], pace: Pace): Steps<PatternsFound> {
  const size = kinds.length;
  const program = new PatternProgram(
    kinds.map(({ transfers }) => transfers.length),
    kinds.map(({ transfers }) => countTogether(batch, transfers)),
  );
  const sets = yield* partSetsOf(batch, kinds, pace);
  let bound = 0;
  let firstSet = 0;
  let sums = 0;
  const maxSums = Math.max(leastSums, sumsOfTransfer * batch.transfers.length);
  for (let round = 0; sets; round++) {
    const isLast = round >= maxRounds || sums >= maxSums;
    const values = program.values();
    if (pace.isStepOver(size * size * unitsPerNumber)) yield;
    const negative = isLast ? -1 : values.findIndex((value) => value < -1e-9);
    if (negative !== -1) {
      if (!program.enter(surplusOf(negative, size), 0)) break;
      continue;
    }
    const isEnough = (value: number): boolean => !isLast && value > 1 + tolerance;
    const search = { firstSet, isEnough, maxSums: maxSums - sums };
    const found = yield* mostValuable(batch, kinds, sets, values, search, pace);
    firstSet = found.set;
    sums += found.sums;
    if (found.limit !== undefined) {
      bound = Math.max(bound, roundedUp(worthOf(kinds, values) / found.limit));
      // No better program says more.
      if (bound >= roundedUp(program.transactionCount())) break;
    }
    if (!isEnough(found.value) || !program.enter(found.counts, 1)) break;
    if (pace.isStepOver(size * size * unitsPerNumber)) yield;
  }
  return { bound, patterns: program.patterns(), values: program.values().map((value) => Math.max(0, value)) };
}

function worthOf(kinds: readonly Kind[], values: readonly number[]): number {
  return kinds.reduce((sum, { transfers }, kind) => sum + Math.max(0, values[kind] ?? 0) * transfers.length, 0);
}

function roundedUp(transactions: number): number {
  return Math.ceil(transactions - tolerance);
}

function countTogether(batch: WeighedBatch, transfers: readonly WeighedTransfer[]): number {
  const load = new TransactionLoad(batch);
  return Math.max(
    1,
    transfers.findIndex((transfer) => !load.add(transfer)) === -1 ? transfers.length : load.transfers.length,
  );
}

function surplusOf(kind: number, size: number): readonly number[] {
  return Array.from({ length: size }, (_, index) => (index === kind ? -1 : 0));
}

/** The linear program: as many patterns as kinds, each as many times as all transfers need (the revised simplex method). */
class PatternProgram {
  readonly #size: number;
  readonly #columns: { counts: readonly number[]; cost: number }[];
  // The inverse of the matrix of the columns, row by row.
  readonly #inverse: Float64Array;
  readonly #times: Float64Array;

  /** `counts`: how many transfers there are of each kind; `together`: how many of each fit into one transaction without others. */
  constructor(counts: readonly number[], together: readonly number[]) {
    const size = counts.length;
    this.#size = size;
    this.#inverse = new Float64Array(size * size);
    this.#times = new Float64Array(size);
    this.#columns = together.map((most, kind) => {
      this.#inverse[kind * size + kind] = 1 / most;
      this.#times[kind] = (counts[kind] ?? 0) / most;
      return { counts: together.map((_, other) => (other === kind ? most : 0)), cost: 1 };
    });
  }

  /** What a transfer of each kind is worth: each pattern of the program is worth 1. */
  values(): number[] {
    const size = this.#size;
    const values = new Array<number>(size).fill(0);
    for (const [row, { cost }] of this.#columns.entries()) {
      if (cost === 0) continue;
      for (let kind = 0; kind < size; kind++) {
        values[kind] = (values[kind] ?? 0) + (this.#inverse[row * size + kind] ?? 0);
      }
    }
    return values;
  }

  transactionCount(): number {
    return this.#columns.reduce((sum, { cost }, row) => sum + cost * (this.#times[row] ?? 0), 0);
  }

  patterns(): readonly Pattern[] {
    return this.#columns.flatMap(({ counts, cost }, row) =>
      cost === 0 ? [] : [{ counts, times: this.#times[row] ?? 0 }],
    );
  }

  /** Takes a column into the program instead of another. Returns false where there is none to go. */
  enter(counts: readonly number[], cost: number): boolean {
    const size = this.#size;
    const inverse = this.#inverse;
    const direction = new Float64Array(size);
    let leaving = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < size; row++) {
      let sum = 0;
      for (let kind = 0; kind < size; kind++) sum += (inverse[row * size + kind] ?? 0) * (counts[kind] ?? 0);
      direction[row] = sum;
      const times = (this.#times[row] ?? 0) / sum;
      if (sum > 1e-9 && times < least) [leaving, least] = [row, times];
    }
    const pivot = direction[leaving];
    if (pivot === undefined) return false;
    for (let kind = 0; kind < size; kind++)
      inverse[leaving * size + kind] = (inverse[leaving * size + kind] ?? 0) / pivot;
    for (let row = 0; row < size; row++) {
      const factor = direction[row] ?? 0;
      if (row === leaving || factor === 0) continue;
      this.#times[row] = Math.max(0, (this.#times[row] ?? 0) - factor * least);
      for (let kind = 0; kind < size; kind++) {
        inverse[row * size + kind] = (inverse[row * size + kind] ?? 0) - factor * (inverse[leaving * size + kind] ?? 0);
      }
    }
    this.#times[leaving] = least;
    this.#columns[leaving] = { counts, cost };
    return true;
  }
}
