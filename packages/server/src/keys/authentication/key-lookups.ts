import type { ApiKeyRecord } from '../api-key-record.ts';

/** Where keys are read from, the clock, and the reports. */
export interface KeyLookupOptions {
  /** Reads the keys with these hashes; rejects when the store does not answer. */
  read: (hashes: readonly string[]) => Promise<ReadonlyMap<string, ApiKeyRecord>>;
  /** The monotonic clock in milliseconds. */
  elapsed: () => number;
  /** Called once when the store stops answering, with its error. */
  onOutage: (error: unknown) => void;
  /** Called once when it answers again. */
  onRecovery: () => void;
}

interface Lookup extends PromiseWithResolvers<ApiKeyRecord | undefined> {
  hash: string;
  isInUse: boolean;
}

const maxBatchKeys = 100;
/** When this many wait, the store is too slow to answer one more of an unknown key in time. */
const maxWaiting = 10_000;
/** After a query the store rests for this many times as long as it took, but no longer than a key in use can wait to be looked up again. */
const restPerQuery = 4;
const maxRestMs = 100;
const pauseAfterFailureMs = 500;

/**
 * Looks keys up in the store, with one query at a time that all waiting lookups share.
 *
 * While its queries are fast, a flood of keys keeps one connection busy for a fifth of the time at most. A store that fails is asked
 * twice a second.
 */
export class KeyLookups {
  readonly #options: KeyLookupOptions;
  readonly #waiting: Lookup[] = [];
  #reading: Promise<void> | undefined;
  #isClosed = false;
  #failedAt: number | undefined;

  constructor(options: KeyLookupOptions) {
    this.#options = options;
  }

  /** Whether the last query failed. */
  get isDown(): boolean {
    return this.#failedAt !== undefined;
  }

  /**
   * Finds a key by its hash, be it revoked or expired; `undefined` for an unknown one. A key in use goes before all others.
   *
   * Rejects when the store does not answer, at once if it failed a moment ago.
   */
  async find(hash: string, isInUse: boolean): Promise<ApiKeyRecord | undefined> {
    const isPausing = this.#failedAt !== undefined && this.#options.elapsed() - this.#failedAt < pauseAfterFailureMs;
    const isFull = !isInUse && this.#waiting.length >= maxWaiting;
    if (this.#isClosed || isPausing || isFull) throw new Error('the key store is not asked');
    const lookup = { hash, isInUse, ...Promise.withResolvers<ApiKeyRecord | undefined>() };
    const next = isInUse ? this.#waiting.findIndex((other) => !other.isInUse) : -1;
    this.#waiting.splice(next < 0 ? this.#waiting.length : next, 0, lookup);
    this.#reading ??= this.#readWaiting();
    return lookup.promise;
  }

  /** Stops asking, and resolves once no query is under way: the store may then be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading;
  }

  async #readWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const startedAt = this.#options.elapsed();
      await this.#readBatch(this.#waiting.splice(0, maxBatchKeys));
      const restMs = Math.min(restPerQuery * (this.#options.elapsed() - startedAt), maxRestMs);
      if (this.#waiting.length > 0 && restMs >= 1) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    this.#reading = undefined;
  }

  async #readBatch(batch: readonly Lookup[]): Promise<void> {
    const { read, onOutage, onRecovery, elapsed } = this.#options;
    try {
      const records = await read(batch.map(({ hash }) => hash));
      if (this.isDown) onRecovery();
      this.#failedAt = undefined;
      for (const { hash, resolve } of batch) resolve(records.get(hash));
    } catch (error) {
      if (!this.isDown) onOutage(error);
      this.#failedAt = elapsed();
      // Waiting lookups fail with the batch instead of waiting for another failure.
      for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error);
    }
  }
}
