import { LRUCache } from 'lru-cache';

/** When the store last reported changes to keys. Times are readings of the monotonic clock, in milliseconds. */
export class KeyChangeTimes {
  #allChangedAt = Number.NEGATIVE_INFINITY;
  readonly #changedAt: LRUCache<string, number>;
  #latest = Number.NEGATIVE_INFINITY;

  /** Remembers the last change of up to `maxKeys` keys. */
  constructor(maxKeys: number) {
    this.#changedAt = new LRUCache({ max: maxKeys });
  }

  /** The time of the last change of any key. */
  get latest(): number {
    return this.#latest;
  }

  /** Notes a change of the key with this hash, or of any key without one. */
  note(hash: string | undefined, at: number): void {
    this.#latest = at;
    if (hash === undefined) this.#allChangedAt = at;
    else this.#changedAt.set(hash, at);
  }

  /** Returns the time up to which answers about a key are stale. */
  staleUpTo(hash: string): number {
    return Math.max(this.#allChangedAt, this.ofKey(hash));
  }

  /** Returns the time of the last change of this very key. */
  ofKey(hash: string): number {
    return this.#changedAt.peek(hash) ?? Number.NEGATIVE_INFINITY;
  }
}

/**
 * Makes a clock that follows `now` and never goes back: when `now` is set back, it advances with `elapsed`.
 *
 * An expired key therefore stays expired. `now` is in milliseconds since the Unix epoch, `elapsed` is the monotonic clock in
 * milliseconds.
 */
export function advancingClock(now: () => number, elapsed: () => number): () => number {
  let newest = Number.NEGATIVE_INFINITY;
  let readAt = elapsed();
  return () => {
    const at = elapsed();
    newest = Math.max(now(), newest + (at - readAt));
    readAt = at;
    return newest;
  };
}
