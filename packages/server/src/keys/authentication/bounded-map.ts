/**
 * A map that holds at most `limit` entries: past it, the one that was set longest ago goes.
 *
 * Setting a key again makes it the newest.
 */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #limit: number;

  /** Makes an empty map; `limit` is 1 or more. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of a key, whose age it leaves as it is. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Sets a value, as the newest. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  /** Forgets a key. */
  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
