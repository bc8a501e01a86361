import type { ApiKeyRecord } from '../store/key-store.ts';

/** What a store said of a key: its record (which may be revoked or expired), that there is none, or nothing at all. */
export interface LookupResult {
  found: ApiKeyRecord | 'unknown' | 'unavailable';
  /** The reading of the monotonic clock from which on the answer may date. */
  askedAt: number;
}

/** What lookups stand on. */
export interface KeyLookupOptions {
  /** Reads the keys with these hashes; rejects when the store cannot be asked. */
  read: (hashes: readonly string[]) => Promise<ReadonlyMap<string, ApiKeyRecord>>;
  /** Milliseconds on a clock that is never set. */
  elapsed: () => number;
  /** Told once when the store stops answering, with its error. */
  onOutage: (error: unknown) => void;
  /** Told once when it answers again. */
  onRecovery: () => void;
}

interface Lookup {
  hash: string;
  askedAt: number;
  result: Promise<LookupResult>;
  settle: (found: LookupResult['found']) => void;
}

const maxBatchKeys = 100;
/** Some seconds of requests with keys never seen before: past it the store is far behind, and one more would not be answered. */
const maxWaiting = 10_000;
const pauseAfterFailureMs = 500;

/**
 * Asks a store for keys, one query at a time: whatever is asked meanwhile shares the next one.
 *
 * So a flood of keys costs the store one connection, and a store that has failed is asked twice a second at most.
 */
export class KeyLookups {
  readonly #options: KeyLookupOptions;
  /** Those waiting or being read, by hash. */
  readonly #lookups = new Map<string, Lookup>();
  #waiting: Lookup[] = [];
  #reading: Promise<void> | undefined;
  #isClosed = false;
  #failedAt: number | undefined;

  /** Asks nothing yet. */
  constructor(options: KeyLookupOptions) {
    this.#options = options;
  }

  /** Whether the store failed when it was asked last. */
  get isDown(): boolean {
    return this.#failedAt !== undefined;
  }

  /** Whether the store would be asked now, rather than given a pause after a failure. */
  get isAsking(): boolean {
    if (this.#isClosed) return false;
    return this.#failedAt === undefined || this.#options.elapsed() - this.#failedAt >= pauseAfterFailureMs;
  }

  /** Whether a key is being looked up now. */
  isFinding(hash: string): boolean {
    return this.#lookups.has(hash);
  }

  /** Finds a key by its hash, by an answer that is newer than `changedAt`. Never rejects. */
  find(hash: string, changedAt: number): Promise<LookupResult> {
    const shared = this.#lookups.get(hash);
    if (shared && shared.askedAt > changedAt) return shared.result;
    const askedAt = this.#options.elapsed();
    if (!this.isAsking || this.#waiting.length >= maxWaiting) return Promise.resolve({ found: 'unavailable', askedAt });
    const { promise, resolve } = Promise.withResolvers<LookupResult>();
    const lookup: Lookup = { hash, askedAt, result: promise, settle: (found) => resolve({ found, askedAt }) };
    this.#lookups.set(hash, lookup);
    this.#waiting.push(lookup);
    this.#reading ??= this.#readWaiting();
    return promise;
  }

  /** Asks nothing more, and resolves once nothing is being asked: the store may then be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading;
  }

  async #readWaiting(): Promise<void> {
    while (this.#waiting.length > 0) await this.#readBatch(this.#waiting.splice(0, maxBatchKeys));
    this.#reading = undefined;
  }

  async #readBatch(batch: readonly Lookup[]): Promise<void> {
    try {
      const records = await this.#options.read(batch.map(({ hash }) => hash));
      if (this.isDown) this.#options.onRecovery();
      this.#failedAt = undefined;
      for (const lookup of batch) this.#end(lookup, records.get(lookup.hash) ?? 'unknown');
    } catch (error) {
      if (!this.isDown) this.#options.onOutage(error);
      this.#failedAt = this.#options.elapsed();
      // Those who wait are not made to wait for the same failure again.
      for (const lookup of [...batch, ...this.#waiting.splice(0)]) this.#end(lookup, 'unavailable');
    }
  }

  #end(lookup: Lookup, found: LookupResult['found']): void {
    if (this.#lookups.get(lookup.hash) === lookup) this.#lookups.delete(lookup.hash);
    lookup.settle(found);
  }
}
