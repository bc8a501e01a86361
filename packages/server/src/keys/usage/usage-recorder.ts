import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyUsage, UsageBatch } from '../api-key-record.ts';
import type { KeyRecords } from '../records/key-records.ts';
import { utcDayOf } from './daily-amounts.ts';

/** The store and the clock of a recorder, and its reports. */
export interface UsageRecorderOptions {
  store: Pick<KeyRecords, 'addUsage'>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called once when usage cannot be saved; it is kept and saved later. */
  onFailure: (error: unknown) => void;
  /** Called with the number of requests that are lost: too many keys to count, or no answer of the store at the end. */
  onLoss: (requests: number) => void;
}

/** How often a service saves the usage of keys. A killed process loses at most that of this time. */
export const saveEveryMs = 3000;
/** How long `close` retries while the store does not answer. */
const closeTimeoutMs = 3000;
const closeRetryPauseMs = 100;
/** Each key on each day takes some hundred bytes; only keys that exist are counted. */
const maxCounted = 100_000;
const dayMs = 86_400_000;

/** The requests of a key on one day, by their outcome. */
interface Counts {
  requests: Map<string, number>;
  lastUsedAt: number;
}

/**
 * Counts the usage of keys in memory, and adds it to the store every 3 s, outside of any request.
 *
 * While the store does not answer the counts are kept, and each is added once afterwards: only a crash loses usage, that of
 * the last seconds.
 */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #writer = randomUUID();
  #batchNumber = 0;
  /** By the number of the UTC day since the Unix epoch, and by key. */
  readonly #days = new Map<number, Map<string, Counts>>();
  #size = 0;
  #notCounted = 0;
  /** Retried unchanged until it is saved: the answer of a successful attempt may have been lost. */
  #unsaved: UsageBatch | undefined;
  #saving: Promise<void> | undefined;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;

  /** Writes nothing while there is nothing to count. */
  constructor(options: UsageRecorderOptions) {
    this.#options = options;
  }

  /** Counts one request of a key. */
  count(keyId: string, outcome: string): void {
    const at = this.#options.now();
    const counts = this.#countsOf(keyId, at);
    if (counts) {
      counts.lastUsedAt = at;
      counts.requests.set(outcome, (counts.requests.get(outcome) ?? 0) + 1);
    } else {
      this.#notCounted += 1;
    }
    this.#timer ??= setTimeout(() => this.#save(), saveEveryMs).unref();
  }

  /** Saves all counts; gives up after some seconds when the store does not answer. Counts nothing afterwards. */
  async close(): Promise<void> {
    const deadline = performance.now() + closeTimeoutMs;
    for (;;) {
      await this.#save();
      clearTimeout(this.#timer);
      if (!this.#unsaved && this.#days.size === 0) return;
      if (performance.now() > deadline) break;
      if (this.#unsaved) await sleep(closeRetryPauseMs);
    }
    this.#options.onLoss(sumOf(this.#unsaved?.usage ?? []) + sumOf(this.#takeBatch().usage));
  }

  #countsOf(keyId: string, at: number): Counts | undefined {
    const day = Math.floor(at / dayMs);
    const countsOf = this.#days.get(day) ?? new Map<string, Counts>();
    const known = countsOf.get(keyId);
    if (known || this.#size >= maxCounted) return known;
    const counts: Counts = { requests: new Map(), lastUsedAt: at };
    countsOf.set(keyId, counts);
    this.#days.set(day, countsOf);
    this.#size += 1;
    return counts;
  }

  #save(): Promise<void> {
    this.#saving ??= this.#saveBatch().finally(() => {
      this.#saving = undefined;
      const isLeft = this.#unsaved !== undefined || this.#days.size > 0;
      this.#timer = isLeft ? setTimeout(() => this.#save(), saveEveryMs).unref() : undefined;
    });
    return this.#saving;
  }

  async #saveBatch(): Promise<void> {
    if (this.#notCounted > 0) this.#options.onLoss(this.#notCounted);
    this.#notCounted = 0;
    this.#unsaved ??= this.#takeBatch();
    try {
      if (this.#unsaved.usage.length > 0) await this.#options.store.addUsage(this.#unsaved);
      this.#unsaved = undefined;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
    }
  }

  #takeBatch(): UsageBatch {
    const usage: KeyUsage[] = [];
    const lastUsedAt = new Map<string, number>();
    for (const [number, countsOf] of this.#days) {
      const day = utcDayOf(number * dayMs);
      for (const [keyId, counts] of countsOf) {
        lastUsedAt.set(keyId, counts.lastUsedAt);
        for (const [outcome, requests] of counts.requests) usage.push({ keyId, day, outcome, requests });
      }
    }
    this.#days.clear();
    this.#size = 0;
    this.#batchNumber += 1;
    return { writer: this.#writer, number: this.#batchNumber, usage, lastUsedAt };
  }
}

function sumOf(usage: readonly KeyUsage[]): number {
  return usage.reduce((sum, { requests }) => sum + requests, 0);
}
