/** What a list of all active keys says of one: `unavailable` when the store did not answer, `too_many` when it holds too many. */
export type Listing = 'listed' | 'not_listed' | 'unavailable' | 'too_many';

/** What a list stands on. */
export interface ActiveKeyListOptions {
  /** Reads the hashes of active keys, `maxKeys` at most; rejects when the store cannot be asked. */
  read: (maxKeys: number) => Promise<ReadonlySet<string>>;
  /** Milliseconds on a clock that is never set. */
  elapsed: () => number;
}

interface Reading {
  startedAt: number;
  done: Promise<void>;
}

/** With more keys than this a list would cost the store more than it saves. */
const maxListedKeys = 50_000;
/** A key made longer ago than this is in the list, whether or not the store told of it. */
const maxAgeMs = 100;
/** A list counts for four times as long as it took to read, if that is more: one connection is busy a quarter of the time at most. */
const maxAgePerReading = 4;
const pauseAfterFailureMs = 500;
/** Each is a request, of which other bounds let fewer in; past it the store is so slow that one more would not be answered. */
const maxWaiting = 10_000;

/**
 * Tells whether a key is one of the active ones by a list of all of them, which is read once for any number of keys.
 *
 * So a flood of unknown keys costs the store ten queries a second, and one more after each change that the store tells of.
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

  /** Reads nothing yet. */
  constructor(options: ActiveKeyListOptions) {
    this.#options = options;
  }

  /** Looks a hash up in a list that was read after `changedAt` and counts still. Never rejects. */
  find(hash: string, changedAt: number): Listing | Promise<Listing> {
    const now = this.#options.elapsed();
    const isCurrent = this.#startedAt > changedAt && now - this.#startedAt < this.#maxAgeMs;
    if (isCurrent || this.#hashes.has(hash)) return this.#listingOf(hash);
    const isPausing = now - this.#failedAt < pauseAfterFailureMs;
    if (this.#isClosed || isPausing || this.#waiting >= maxWaiting) return 'unavailable';
    return this.#findInNext(hash, changedAt);
  }

  /** Reads nothing more, and resolves once nothing is being read: the store may then be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading?.done;
  }

  async #findInNext(hash: string, changedAt: number): Promise<Listing> {
    this.#waiting += 1;
    try {
      // One that began before the change may lack the key.
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
      // Said by the lookups of keys in use, which fail with it.
      this.#failedAt = this.#options.elapsed();
    }
    this.#reading = undefined;
  }
}
