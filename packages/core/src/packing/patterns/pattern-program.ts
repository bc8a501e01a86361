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

// What floating point adds to the values is lost so often.
const exchangesPerSum = 50;

/** The linear program: as many columns as kinds, each as many times as all transfers need (the revised simplex method). */
export class PatternProgram {
  readonly #size: number;
  readonly #columns: Column[];
  // The inverse of the matrix of the columns, row by row.
  readonly #inverse: Float64Array;
  readonly #times: Float64Array;
  /** What a transfer of each kind is worth: each pattern of the program is worth 1. */
  readonly values: Float64Array;
  #exchanges = 0;

  /** `counts`: how many transfers there are of each kind; `together`: how many of each fit into one transaction without others. */
  constructor(counts: readonly number[], together: readonly number[]) {
    const size = counts.length;
    this.#size = size;
    this.#inverse = new Float64Array(size * size);
    for (const [kind, most] of together.entries()) this.#inverse[kind * size + kind] = 1 / most;
    this.#times = Float64Array.from(together, (most, kind) => (counts[kind] ?? 0) / most);
    this.values = Float64Array.from(together, (most) => 1 / most);
    this.#columns = together.map((most, kind) => patternOf(new Map([[kind, most]])));
  }

  /** The sum of all times. */
  get transactionCount(): number {
    return this.#columns.reduce((sum, { transactions }, row) => sum + transactions * (this.#times[row] ?? 0), 0);
  }

  /** The patterns of the program, with how many transactions of each there should be. */
  timesOfPatterns(): readonly (readonly [pattern: Column, times: number])[] {
    const all = this.#columns.map((column, row) => [column, this.#times[row] ?? 0] as const);
    return all.filter(([{ transactions }]) => transactions === 1);
  }

  /** Takes a column into the program instead of another. Returns false where there is none to go. */
  enter(column: Column): boolean {
    const size = this.#size;
    const inverse = this.#inverse;
    const direction = this.#directionOf(column);
    let leaving = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < size; row++) {
      const step = direction[row] ?? 0;
      const times = (this.#times[row] ?? 0) / step;
      if (step > 1e-9 && times < least) [leaving, least] = [row, times];
    }
    const pivot = direction[leaving];
    if (pivot === undefined) return false;
    const gain = column.transactions - worthOfColumn(column, this.values);
    const start = leaving * size;
    for (let kind = 0; kind < size; kind++) inverse[start + kind] = (inverse[start + kind] ?? 0) / pivot;
    for (let row = 0; row < size; row++) {
      const factor = direction[row] ?? 0;
      if (row === leaving || factor === 0) continue;
      this.#times[row] = Math.max(0, (this.#times[row] ?? 0) - factor * least);
      this.#subtract(row * size, start, factor);
    }
    this.#times[leaving] = least;
    this.#columns[leaving] = column;
    this.#exchanges += 1;
    if (this.#exchanges % exchangesPerSum === 0) this.#sumValues();
    else this.#addToValues(start, gain);
    return true;
  }

  // By how much the times of each column fall for each time that this one is taken.
  #directionOf({ kinds, counts }: Column): Float64Array {
    const size = this.#size;
    const direction = new Float64Array(size);
    for (let row = 0; row < size; row++) {
      let sum = 0;
      for (let at = 0; at < kinds.length; at++) {
        sum += (this.#inverse[row * size + (kinds[at] ?? 0)] ?? 0) * (counts[at] ?? 0);
      }
      direction[row] = sum;
    }
    return direction;
  }

  #subtract(to: number, from: number, factor: number): void {
    const inverse = this.#inverse;
    for (let kind = 0; kind < this.#size; kind++) {
      inverse[to + kind] = (inverse[to + kind] ?? 0) - factor * (inverse[from + kind] ?? 0);
    }
  }

  #addToValues(row: number, factor: number): void {
    for (let kind = 0; kind < this.#size; kind++) {
      this.values[kind] = (this.values[kind] ?? 0) + factor * (this.#inverse[row + kind] ?? 0);
    }
  }

  #sumValues(): void {
    this.values.fill(0);
    for (const [row, { transactions }] of this.#columns.entries()) {
      if (transactions === 1) this.#addToValues(row * this.#size, 1);
    }
  }
}
