import { SparseBasis } from './sparse-basis.ts';

// Where several columns would be used up at once, exchanges go round and round without fewer transactions. So each kind has a little more
// transfers than there are, of each another part of one.
const perturbation = 1e-5;
const goldenRatio = 0.618033988749895;

// Less is what floating point leaves of nothing.
const leastStep = 1e-9;

/** A column of the program: how many transfers of which kinds, of every kind at most once. */
export interface Column {
  kinds: readonly number[];
  counts: readonly number[];
  /** How many transactions it stands for: 1, or 0 where it takes back a transfer that is made too often. */
  transactions: 0 | 1;
}

/** A transaction that is filled with so many transfers of these kinds. */
export function patternOf(counts: ReadonlyMap<number, number>): Column {
  return { kinds: [...counts.keys()], counts: [...counts.values()], transactions: 1 };
}

/** What the transfers of a column are worth together. */
export function worthOfColumn({ kinds, counts }: Column, values: ArrayLike<number>): number {
  let value = 0;
  for (let at = 0; at < kinds.length; at++) value += (values[kinds[at] ?? 0] ?? 0) * (counts[at] ?? 0);
  return value;
}

/** The linear program: as many columns as kinds, each as many times as all transfers need (the revised simplex method). */
export class PatternProgram {
  readonly #columns: Column[];
  readonly #counts: Float64Array;
  readonly #distinctCounts: Float64Array;
  readonly #basis: SparseBasis;
  #times: Float64Array;
  /** What a transfer of each kind is worth: each pattern of the program is worth 1. */
  values: Float64Array;

  /** `counts`: how many transfers there are of each kind; `together`: how many of each fit into one transaction without others. */
  constructor(counts: readonly number[], together: readonly number[]) {
    this.#columns = together.map((most, kind) => patternOf(new Map([[kind, most]])));
    this.#counts = Float64Array.from(counts);
    this.#distinctCounts = this.#counts.map((count, kind) => count + perturbation * (1 + ((kind * goldenRatio) % 1)));
    this.#basis = new SparseBasis(this.#columns);
    this.#times = this.#basis.solve(this.#distinctCounts);
    this.values = this.#valuesOfColumns();
  }

  /** What all transfers are worth: as many transactions as the patterns take. */
  get transactionCount(): number {
    return this.#counts.reduce((sum, count, kind) => sum + count * (this.values[kind] ?? 0), 0);
  }

  /** The patterns of the program, with how many transactions of each there should be. */
  timesOfPatterns(): readonly (readonly [pattern: Column, times: number])[] {
    const all = this.#columns.map((column, row) => [column, this.#times[row] ?? 0] as const);
    return all.filter(([{ transactions }]) => transactions === 1);
  }

  /** Takes a column into the program instead of another. Returns false where there is none to go. */
  enter(column: Column): boolean {
    const entries = new Float64Array(this.#counts.length);
    for (const [at, kind] of column.kinds.entries()) entries[kind] = column.counts[at] ?? 0;
    // By how much the times of each column fall for each time that this one is taken.
    const direction = this.#basis.solve(entries);
    let leaving = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let place = 0; place < direction.length; place++) {
      const step = direction[place] ?? 0;
      const times = (this.#times[place] ?? 0) / step;
      if (step > leastStep && times < least) [leaving, least] = [place, times];
    }
    if (leaving === -1) return false;
    for (let place = 0; place < direction.length; place++) {
      this.#times[place] = Math.max(0, (this.#times[place] ?? 0) - (direction[place] ?? 0) * least);
    }
    this.#times[leaving] = least;
    this.#columns[leaving] = column;
    if (this.#basis.exchange(leaving, column, direction)) {
      this.#times = this.#basis.solve(this.#distinctCounts).map((times) => Math.max(0, times));
    }
    this.values = this.#valuesOfColumns();
    return true;
  }

  #valuesOfColumns(): Float64Array {
    const worths = new Float64Array(this.#columns.length);
    for (let place = 0; place < worths.length; place++) worths[place] = this.#columns[place]?.transactions ?? 0;
    return this.#basis.solveTransposed(worths);
  }
}
