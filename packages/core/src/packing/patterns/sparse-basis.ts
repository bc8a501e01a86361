import type { SparseColumn } from './pivot-order.ts';
import { Entries, factor, type Triangles } from './triangles.ts';

// Rounding adds up from one exchange to the next, and each is one more list to go through.
const maxExchanges = 64;

/**
 * A square matrix of columns that have few entries, of which one at a time is exchanged, and its systems of equations.
 *
 * It is kept as two triangles that have few entries, too, and the exchanges since (Dantzig and Orchard-Hays, "The product form for
 * the inverse in the simplex method", 1954). The inverse would have all entries: as many as the square of the size.
 */
export class SparseBasis {
  readonly #size: number;
  readonly #columns: SparseColumn[];
  #triangles: Triangles;
  // Of each exchange the column that went, its entry in the direction of the one that came, and the other entries of that.
  #exchanged: number[] = [];
  #pivots: number[] = [];
  #directions = new Entries();

  /** Throws a `RangeError` for columns of which one is made of others. */
  constructor(columns: readonly SparseColumn[]) {
    this.#size = columns.length;
    this.#columns = [...columns];
    const triangles = factor(this.#columns);
    if (!triangles) throw new RangeError('a column is made of others');
    this.#triangles = triangles;
  }

  /** Returns how many times each column makes `right`, which has an entry for each row. */
  solve(right: Float64Array): Float64Array {
    const { columns, rows, pivots, lower, upper } = this.#triangles;
    const left = right.slice();
    for (let step = 0; step < this.#size; step++) {
      const amount = left[rows[step] ?? 0] ?? 0;
      if (amount !== 0) lower.subtract(step, left, amount);
    }
    const times = new Float64Array(this.#size);
    for (let step = this.#size - 1; step >= 0; step--) {
      const amount = (left[rows[step] ?? 0] ?? 0) / (pivots[step] ?? 1);
      times[columns[step] ?? 0] = amount;
      if (amount !== 0) upper.subtract(step, left, amount);
    }
    for (let exchange = 0; exchange < this.#exchanged.length; exchange++) {
      const column = this.#exchanged[exchange] ?? 0;
      const amount = (times[column] ?? 0) / (this.#pivots[exchange] ?? 1);
      times[column] = amount;
      if (amount !== 0) this.#directions.subtract(exchange, times, amount);
    }
    return times;
  }

  /** Returns what each row is worth where each column is worth what `worths` says. */
  solveTransposed(worths: Float64Array): Float64Array {
    const left = worths.slice();
    for (let exchange = this.#exchanged.length - 1; exchange >= 0; exchange--) {
      const column = this.#exchanged[exchange] ?? 0;
      const rest = (left[column] ?? 0) - this.#directions.product(exchange, left);
      left[column] = rest / (this.#pivots[exchange] ?? 1);
    }
    const { columns, rows, pivots, lower, upper } = this.#triangles;
    const values = new Float64Array(this.#size);
    for (let step = 0; step < this.#size; step++) {
      const rest = (left[columns[step] ?? 0] ?? 0) - upper.product(step, values);
      values[rows[step] ?? 0] = rest / (pivots[step] ?? 1);
    }
    for (let step = this.#size - 1; step >= 0; step--) {
      const row = rows[step] ?? 0;
      values[row] = (values[row] ?? 0) - lower.product(step, values);
    }
    return values;
  }

  /**
   * Puts a column in the place of another. `direction`: how many times each column makes it, as `solve` says.
   *
   * Returns whether the triangles were made again, so that what was computed from step to step should be computed again, too.
   */
  exchange(place: number, column: SparseColumn, direction: Float64Array): boolean {
    this.#columns[place] = column;
    this.#exchanged.push(place);
    this.#pivots.push(direction[place] ?? 1);
    for (let other = 0; other < this.#size; other++) {
      const entry = direction[other] ?? 0;
      if (other !== place && entry !== 0) this.#directions.add(other, entry);
    }
    this.#directions.endList();
    if (this.#exchanged.length < maxExchanges) return false;
    const triangles = factor(this.#columns);
    if (!triangles) return false;
    this.#triangles = triangles;
    this.#exchanged = [];
    this.#pivots = [];
    this.#directions = new Entries();
    return true;
  }
}
