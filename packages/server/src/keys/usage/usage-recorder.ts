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
/** Each outcome of a key on a day takes some hundred bytes; only keys that exist are counted. */
const maxCounted = 100_000;

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
  /** By key, day and outcome. */
  readonly #usage = new Map<string, KeyUsage>();
  readonly #lastUsedAt = new Map<string, number>();
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
    const day = utcDayOf(at);
    const row = `${keyId} ${day} ${outcome}`;
    const usage = this.#usage.get(row) ?? { keyId, day, outcome, requests: 0 };
    usage.requests += 1;
    if (usage.requests > 1 || this.#usage.size < maxCounted) {
      this.#usage.set(row, usage);
      this.#lastUsedAt.set(keyId, at);
    } else this.#notCounted += 1;
    this.#timer ??= setTimeout(() => this.#save(), saveEveryMs).unref();
  }

  /** Saves all counts; gives up after some seconds when the store does not answer. Counts nothing afterwards. */
  async close(): Promise<void> {
    const deadline = performance.now() + closeTimeoutMs;
    for (;;) {
      await this.#save();
      clearTimeout(this.#timer);
      if (!this.#unsaved && this.#usage.size === 0) return;
      if (performance.now() > deadline) break;
      if (this.#unsaved) await sleep(closeRetryPauseMs);
    }
    this.#options.onLoss(sumOf(this.#unsaved?.usage ?? []) + sumOf(this.#takeBatch().usage));
  }

  #save(): Promise<void> {
    this.#saving ??= this.#saveBatch().finally(() => {
      this.#saving = undefined;
      const isLeft = this.#unsaved !== undefined || this.#usage.size > 0;
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
    const usage = [...this.#usage.values()];
    const lastUsedAt = new Map(this.#lastUsedAt);
    this.#usage.clear();
    this.#lastUsedAt.clear();
    this.#batchNumber += 1;
    return { writer: this.#writer, number: this.#batchNumber, usage, lastUsedAt };
  }
}

function sumOf(usage: readonly KeyUsage[]): number {
  return usage.reduce((sum, { requests }) => sum + requests, 0);
}
