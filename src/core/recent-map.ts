/**
 * A map that keeps what was used lately and holds at most twice as many entries as it is told.
 *
 * There are two halves: when the younger is full the older is dropped and the younger takes its place. What is read from the
 * older half moves to the younger, so that what is used often stays. Every call takes constant time.
 */
export class RecentMap<K, V> {
  readonly #halfSize: number;
  #younger = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(halfSize: number) {
    this.#halfSize = halfSize;
  }

  /** The value of a key, or `undefined` when it is unknown or was forgotten. */
  get(key: K): V | undefined {
    const value = this.#younger.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** Keeps a value, as the most recent one. */
  set(key: K, value: V): void {
    if (this.#younger.size >= this.#halfSize) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, value);
  }
}
