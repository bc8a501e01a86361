import { LRUCache } from 'lru-cache';
import type { ApiKeyRecord } from '../key-store.ts';

/** The answer of a store about a key: its record (which may be revoked or expired), `unknown`, or `unavailable` without one. */
export interface LookupResult {
  found: ApiKeyRecord | 'unknown' | 'unavailable';
  /** When the store was asked, by the monotonic clock: the answer is no older. */
  askedAt: number;
}

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

interface Lookup {
  hash: string;
  askedAt: number;
  result: Promise<LookupResult>;
  settle: (found: LookupResult['found']) => void;
}

const maxBatchKeys = 100;
/** Some seconds of requests with new keys. When this many wait, the store is too slow to answer one more in time. */
const maxWaiting = 10_000;
const pauseAfterFailureMs = 500;

/**
 * Looks keys up in a store, with one query at a time: lookups that arrive in the meantime share the next one.
 *
 * A flood of keys then costs the store one connection, and a store that has failed is asked up to twice a second.
 */
export class KeyLookups {
  readonly #options: KeyLookupOptions;
  /** The lookups that wait or are being read, by hash. */
  readonly #lookups = new Map<string, Lookup>();
  #waiting: Lookup[] = [];
  #reading: Promise<void> | undefined;
  #isClosed = false;
  #failedAt: number | undefined;

  /** Does not ask before `find`. */
  constructor(options: KeyLookupOptions) {
    this.#options = options;
  }

  /** Whether the last query of the store failed. */
  get isDown(): boolean {
    return this.#failedAt !== undefined;
  }

  /** Whether a lookup would query the store now; it would not during the pause after a failure. */
  get isAsking(): boolean {
    if (this.#isClosed) return false;
    return this.#failedAt === undefined || this.#options.elapsed() - this.#failedAt >= pauseAfterFailureMs;
  }

  /** Whether a key is being looked up now. */
  isFinding(hash: string): boolean {
    return this.#lookups.has(hash);
  }

  /** Finds a key by its hash, with an answer newer than `changedAt`. Never rejects. */
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

  /** Stops asking, and resolves once no query is under way: the store may then be closed. */
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
      // Waiting lookups fail with the batch instead of waiting for another failure.
      for (const lookup of [...batch, ...this.#waiting.splice(0)]) this.#end(lookup, 'unavailable');
    }
  }

  #end(lookup: Lookup, found: LookupResult['found']): void {
    if (this.#lookups.get(lookup.hash) === lookup) this.#lookups.delete(lookup.hash);
    lookup.settle(found);
  }
}

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

  /** Returns the time of the last change of the key with this hash. */
  ofKey(hash: string): number {
    return this.#changedAt.peek(hash) ?? Number.NEGATIVE_INFINITY;
  }
}
