/** Whether a key is in the list; `unavailable` when the store did not answer, `too_many` when it has too many active keys. */
export type Listing = 'listed' | 'not_listed' | 'unavailable' | 'too_many';

/** Where the list is read from, and its clock. */
export interface ActiveKeyListOptions {
  /** Reads the hashes of up to `maxKeys` active keys; rejects when the store does not answer. */
  read: (maxKeys: number) => Promise<ReadonlySet<string>>;
  /** The monotonic clock in milliseconds. */
  elapsed: () => number;
}

interface Reading {
  startedAt: number;
  done: Promise<void>;
}

/** With more keys than this a list would cost the store more than it saves. */
const maxListedKeys = 50_000;
/** The age up to which a list is used: an older key is in it, even when its creation went unnoticed. */
const maxAgeMs = 100;
/** A list is used for at least four times as long as it took to read, so that reading keeps a connection busy a quarter of the time. */
const maxAgePerReading = 4;
const pauseAfterFailureMs = 500;
/** How many requests may wait; other bounds let fewer in. When this many wait, the store is too slow to answer one more in time. */
const maxWaiting = 10_000;

/**
 * Looks keys up in a list of all active ones, which is read once for any number of keys.
 *
 * A flood of unknown keys then costs the store ten queries a second, and one more after each change that it reports.
 */
export class ActiveKeyList {
  readonly #options: ActiveKeyListOptions;
  #hashes: ReadonlySet<string> = new Set();
  #startedAt = Number.NEGATIVE_INFINITY;
  #maxAgeMs = maxAgeMs;
  #reading: Reading | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  #isClosed = false;

  /** Does not read before `find`. */
  constructor(options: ActiveKeyListOptions) {
    this.#options = options;
  }

  /** Looks a hash up in a list that is not too old and was read after `changedAt`. Never rejects. */
  find(hash: string, changedAt: number): Listing | Promise<Listing> {
    const now = this.#options.elapsed();
    const isCurrent = this.#startedAt > changedAt && now - this.#startedAt < this.#maxAgeMs;
    if (isCurrent || this.#hashes.has(hash)) return this.#listingOf(hash);
    const isPausing = now - this.#failedAt < pauseAfterFailureMs;
    if (this.#isClosed || isPausing || this.#waiting >= maxWaiting) return 'unavailable';
    return this.#findInNext(hash, changedAt);
  }

  /** Stops reading, and resolves once no read is under way: the store may then be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading?.done;
  }

  async #findInNext(hash: string, changedAt: number): Promise<Listing> {
    this.#waiting += 1;
    try {
      // A read that began before the change may lack the key.
      if (this.#reading && this.#reading.startedAt <= changedAt) await this.#reading.done;
      if (this.#isClosed) return 'unavailable';
      this.#reading ??= this.#startReading();
      const { startedAt, done } = this.#reading;
      await done;
      return this.#failedAt >= startedAt ? 'unavailable' : this.#listingOf(hash);
    } finally {
      this.#waiting -= 1;
    }
  }

  #listingOf(hash: string): Listing {
    if (this.#hashes.has(hash)) return 'listed';
    return this.#hashes.size > maxListedKeys ? 'too_many' : 'not_listed';
  }

  #startReading(): Reading {
    const startedAt = this.#options.elapsed();
    return { startedAt, done: this.#read(startedAt) };
  }

  async #read(startedAt: number): Promise<void> {
    try {
      this.#hashes = await this.#options.read(maxListedKeys + 1);
      this.#startedAt = startedAt;
      this.#maxAgeMs = Math.max(maxAgeMs, maxAgePerReading * (this.#options.elapsed() - startedAt));
    } catch {
      // The outage is reported by the lookups of keys in use, which fail too.
      this.#failedAt = this.#options.elapsed();
    }
    this.#reading = undefined;
  }
}
