import { PivotOrder, type SparseColumn } from './pivot-order.ts';

const noColumn: SparseColumn = { kinds: [], counts: [] };

/** Entries that are not zero, list after list. */
export class Entries {
  /** Where the list of each number begins; the next one's beginning is its end. */
  readonly starts: number[] = [0];
  readonly indices: number[] = [];
  readonly values: number[] = [];

  /** Adds an entry to the last list. */
  add(index: number, value: number): void {
    this.indices.push(index);
    this.values.push(value);
  }

  /** Adds the indices of a list to others. */
  addIndices(list: number, indices: number[]): void {
    const end = this.starts[list + 1] ?? 0;
    for (let at = this.starts[list] ?? 0; at < end; at++) indices.push(this.indices[at] ?? 0);
  }

  /** Ends the last list, and begins the next. */
  endList(): void {
    this.starts.push(this.indices.length);
  }

  /** Subtracts a list from `target`, `factor` times. */
  subtract(list: number, target: Float64Array, factor: number): void {
    const end = this.starts[list + 1] ?? 0;
    for (let at = this.starts[list] ?? 0; at < end; at++) {
      const index = this.indices[at] ?? 0;
      target[index] = (target[index] ?? 0) - factor * (this.values[at] ?? 0);
    }
  }

  /** Returns the sum of the products of a list and `other`. */
  product(list: number, other: Float64Array): number {
    let sum = 0;
    const end = this.starts[list + 1] ?? 0;
    for (let at = this.starts[list] ?? 0; at < end; at++) {
      sum += (other[this.indices[at] ?? 0] ?? 0) * (this.values[at] ?? 0);
    }
    return sum;
  }
}

/** A matrix as the product of two triangles, step by step: one column and the row of its pivot in each. */
export interface Triangles {
  columns: Int32Array;
  rows: Int32Array;
  pivots: Float64Array;
  /** What a step adds to the rows of later steps, for each of its pivot. */
  lower: Entries;
  /** What the column of a step has in the rows of steps before it. */
  upper: Entries;
}

/** Returns the triangles of a matrix; `undefined` where a column is made of others, as far as the precision of numbers tells. */
export function factor(columns: readonly SparseColumn[]): Triangles | undefined {
  const size = columns.length;
  const order = new PivotOrder(columns);
  const triangles = {
    columns: new Int32Array(size),
    rows: new Int32Array(size),
    pivots: new Float64Array(size),
    lower: new Entries(),
    upper: new Entries(),
  };
  const { lower, upper, rows } = triangles;
  const isTaken = new Uint8Array(size);
  const left = new Float64Array(size);
  for (let step = 0; step < size; step++) {
    const column = order.takeColumn();
    const { kinds, counts } = columns[column] ?? noColumn;
    // Every row that may have an entry, some of them twice.
    const met = [...kinds];
    for (const [at, kind] of kinds.entries()) left[kind] = counts[at] ?? 0;
    for (let earlier = 0; earlier < step; earlier++) {
      const row = rows[earlier] ?? 0;
      const amount = left[row] ?? 0;
      if (amount === 0) continue;
      upper.add(row, amount);
      lower.subtract(earlier, left, amount);
      lower.addIndices(earlier, met);
    }
    upper.endList();
    const open = met.filter((row) => !isTaken[row]);
    const row = order.takeRow(column, open, left);
    if (row === undefined) return undefined;
    const pivot = left[row] ?? 1;
    isTaken[row] = 1;
    triangles.columns[step] = column;
    rows[step] = row;
    triangles.pivots[step] = pivot;
    left[row] = 0;
    for (const other of open) {
      const amount = left[other] ?? 0;
      if (amount !== 0) lower.add(other, amount / pivot);
      left[other] = 0;
    }
    lower.endList();
    for (const other of met) left[other] = 0;
  }
  return triangles;
}
