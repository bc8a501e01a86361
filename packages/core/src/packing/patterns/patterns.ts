import type { Kind } from '../weights/kinds-of-transfers.ts';
import { tolerance } from '../weights/least-parts.ts';
import type { Pace, Steps } from '../weights/steps.ts';
import { TransactionLoad } from '../weights/transaction-load.ts';
import type { WeighedBatch, WeighedTransfer } from '../weights/weigh-batch.ts';
import type { ChoicesOfBatch } from './choices.ts';
import type { Measure } from './knapsack.ts';
import { type MostValuable, mostValuable } from './most-valuable.ts';
import { partSetsOf } from './part-sets.ts';
import { type Column, PatternProgram, worthOfColumn } from './pattern-program.ts';

/** What is known of packings from the patterns of their transactions. */
export interface PatternsFound {
  /** No packing has fewer transactions than this. */
  bound: number;
  /** Which together make all transfers with the fewest transactions, where parts of a transaction would count as such. */
  patterns: readonly (readonly [pattern: Column, times: number])[];
  /** What a transfer of each kind is worth in them. */
  values: readonly number[];
}

// So that no batch takes long.
const maxRounds = 10_000;
const leastSums = 3_000_000;
const sumsOfTransfer = 100_000;
// Another look costs as much as a few exchanges, and finds what is worth more.
const maxKnownInARow = 5;
// How much work it is to exchange a pattern, for each kind.
const unitsPerKind = 0.03;

/**
 * Returns a lower bound from patterns: how many transfers of which kinds fit into one transaction.
 *
 * A packing takes so many times each pattern. If parts of a transaction counted as such, its fewest would be the solution of a linear
 * program (Gilmore and Gomory, "A linear programming approach to the cutting-stock problem", 1961), and no packing has fewer. Each
 * round has values of all kinds and looks for a pattern that is worth more than 1 by them, among those that are known (`known`, and those
 * found before) and then among all: it is exchanged for another. Where there is none, or enough were looked for, there is a bound of what
 * any transaction is worth, hence one of all packings, whatever the values are: the worth of all transfers by it (Farley, "A note on
 * bounding a class of linear programming problems", 1990).
 *
 * What is looked for among all is asked by values between those of the round and those of the best bound so far, which takes fewer
 * rounds (Wentges, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming", 1997).
 *
 * `undefined` where transfers share too many sets of parts.
 */
export function* findPatterns(
  batch: WeighedBatch,
  { kinds, choices }: ChoicesOfBatch,
  known: readonly Column[],
  measures: readonly Measure[],
  pace: Pace,
): Steps<PatternsFound | undefined> {
  const sets = yield* partSetsOf(batch, choices, pace);
  if (!sets) return undefined;
  const size = kinds.length;
  const program = new PatternProgram(
    kinds.map(({ transfers }) => transfers.length),
    kinds.map(({ transfers }) => countTogether(batch, transfers)),
  );
  const pool = [...known];
  let knownBeforeLook = Number.POSITIVE_INFINITY;
  let bound = 0;
  let valuesOfBound: Float64Array | undefined;
  let isSteady = true;
  let firstSet = 0;
  let sums = 0;
  const maxSums = Math.max(leastSums, sumsOfTransfer * batch.transfers.length);
  for (let round = 0; ; round++) {
    const isLast = round >= maxRounds || sums >= maxSums;
    const { values } = program;
    if (pace.isStepOver(size * unitsPerKind)) yield;
    const mayBeKnown = knownBeforeLook > 0;
    const better = isLast ? undefined : (surplusIn(values) ?? (mayBeKnown ? mostValuableOf(pool, values) : undefined));
    if (better) {
      knownBeforeLook -= better.transactions;
      if (!program.enter(better)) break;
      continue;
    }
    const asked: Float64Array = valuesOfBound && isSteady && !isLast ? between(values, valuesOfBound) : values;
    const isEnough = (value: number): boolean => !isLast && value > 1 + tolerance;
    const search = { measures, firstSet, isEnough, maxSums: maxSums - sums };
    const found: MostValuable = yield* mostValuable(batch, choices, sets, asked, search, pace);
    firstSet = found.set;
    sums += found.sums;
    const { limit } = found;
    const boundOfRound = limit === undefined ? 0 : worthOf(kinds, asked) / limit;
    const isRaised = boundOfRound > bound;
    if (limit !== undefined && isRaised) {
      bound = boundOfRound;
      valuesOfBound = asked.map((value) => value / limit);
    }
    // No better program says more.
    if (isLast || roundedUp(bound) >= roundedUp(program.transactionCount)) break;
    if (worthOfColumn(found.pattern, values) > 1 + tolerance) {
      pool.push(found.pattern);
      knownBeforeLook = maxKnownInARow;
      if (!program.enter(found.pattern)) break;
      isSteady = true;
    } else if (asked === values) {
      if (mayBeKnown) break;
      knownBeforeLook = Number.POSITIVE_INFINITY;
    } else {
      isSteady = isRaised;
    }
  }
  const values = Array.from(program.values, (value) => Math.max(0, value));
  return { bound: roundedUp(bound), patterns: program.timesOfPatterns(), values };
}

function worthOf(kinds: readonly Kind[], values: Float64Array): number {
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

// Transfers of a kind that are worth less than nothing are made more often than there are any. The least of all, which takes fewer rounds.
function surplusIn(values: Float64Array): Column | undefined {
  let least = -1e-9;
  let kind = -1;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    if (value < least) [least, kind] = [value, at];
  }
  return kind === -1 ? undefined : { kinds: [kind], counts: [-1], transactions: 0 };
}

function mostValuableOf(patterns: readonly Column[], values: Float64Array): Column | undefined {
  let most: Column | undefined;
  let value = 1 + tolerance;
  for (const pattern of patterns) {
    const worth = worthOfColumn(pattern, values);
    if (worth > value) [most, value] = [pattern, worth];
  }
  return most;
}

// As much of the best as was quickest for batches of all kinds.
const partOfBest = 0.7;

function between(values: Float64Array, best: Float64Array): Float64Array {
  return values.map((value, kind) => (1 - partOfBest) * value + partOfBest * (best[kind] ?? 0));
}
