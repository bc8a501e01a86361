/** A column of a matrix by its entries that are not zero: how much there is in which row. */
export interface SparseColumn {
  kinds: readonly number[];
  counts: readonly number[];
}

const smallestPivot = 1e-9;
// A pivot so much smaller than the largest of its column is taken if its row has fewer entries.
const leastOfLargest = 0.1;
// More of them take longer to look at than they save.
const maxColumnsCompared = 30;

/** In which order columns and rows are taken, so that triangles get few entries: those first that meet the fewest others (Markowitz, 1957). */
export class PivotOrder {
  readonly #columns: readonly SparseColumn[];
  readonly #left: number[];
  // How many of the columns that are left have an entry in each row; -1 for a row that was taken.
  readonly #columnsInRow: Int32Array;

  constructor(columns: readonly SparseColumn[]) {
    this.#columns = columns;
    this.#left = [...columns.keys()];
    this.#columnsInRow = new Int32Array(columns.length);
    for (const { kinds } of columns) for (const kind of kinds) this.#count(kind, 1);
  }

  /** Takes the column that meets the fewest others, of those that are compared. */
  takeColumn(): number {
    let best = 0;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [at, column] of this.#left.entries()) {
      let rowCount = 0;
      let fewestInRow = Number.POSITIVE_INFINITY;
      for (const kind of this.#columns[column]?.kinds ?? []) {
        const inRow = this.#columnsInRow[kind] ?? -1;
        if (inRow === -1) continue;
        rowCount += 1;
        fewestInRow = Math.min(fewestInRow, inRow);
      }
      const met = (rowCount - 1) * (fewestInRow - 1);
      if (met < fewest) [best, fewest] = [at, met];
      if (met <= 0 || at >= maxColumnsCompared) break;
    }
    const column = this.#left[best] ?? 0;
    this.#left[best] = this.#left.at(-1) ?? 0;
    this.#left.pop();
    return column;
  }

  /** Takes the row of the pivot of a column, of those that are `open`. `left`: what the column has apart from the steps before it. */
  takeRow(column: number, open: readonly number[], left: Float64Array): number | undefined {
    let largest = 0;
    for (const row of open) largest = Math.max(largest, Math.abs(left[row] ?? 0));
    if (largest < smallestPivot) return undefined;
    let best: number | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const row of open) {
      const inRow = this.#columnsInRow[row] ?? 0;
      if (inRow < fewest && Math.abs(left[row] ?? 0) >= largest * leastOfLargest) [best, fewest] = [row, inRow];
    }
    for (const kind of this.#columns[column]?.kinds ?? []) this.#count(kind, -1);
    if (best !== undefined) this.#columnsInRow[best] = -1;
    return best;
  }

  #count(kind: number, by: 1 | -1): void {
    const count = this.#columnsInRow[kind] ?? -1;
    if (count !== -1) this.#columnsInRow[kind] = count + by;
  }
}
