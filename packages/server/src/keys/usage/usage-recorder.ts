import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyStore, KeyUsage, UsageBatch } from '../store/key-store.ts';

/** What a recorder stands on. */
export interface UsageRecorderOptions {
  store: Pick<KeyStore, 'addUsage'>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Told once when usage cannot be saved, which is then kept and tried again. */
  onFailure: (error: unknown) => void;
  /** Told of requests that were not counted: more keys than can be kept, or a store that is away at the end. */
  onLoss: (requests: number) => void;
}

/** At most this much is lost when the process is killed. */
const saveEveryMs = 3000;
/** How long `close` tries, when the store is away. */
const lastTriesMs = 3000;
const pauseBetweenLastTriesMs = 100;
/** Of a key on a day: each takes some hundred bytes, and only keys that exist are counted. */
const maxCounted = 100_000;
const dayMs = 86_400_000;

/** The requests of a key on one day, by what came of them. */
interface Counts {
  requests: Map<string, number>;
  lastUsedAt: number;
}

interface Day {
  /** As `2026-11-21`, in UTC. */
  day: string;
  startsAt: number;
  countsOf: Map<string, Counts>;
}

/**
 * Counts what keys are used for, in memory, and adds it to the store every 3 s, off the way of any request.
 *
 * While the store is away the counts are kept and added later, each once: nothing is lost but what the last seconds before
 * a crash held.
 */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #writer = randomUUID();
  #batchNumber = 0;
  #days: Day[] = [];
  #size = 0;
  #notCounted = 0;
  /** Tried until it is saved, as it is: its saving may have been answered by nobody. */
  #unsaved: UsageBatch | undefined;
  #saving: Promise<void> | undefined;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;

  /** Counts nothing yet, and writes nothing while there is nothing to count. */
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

  /** Saves everything that was counted; gives up after some seconds when the store is away. Counts nothing afterwards. */
  async close(): Promise<void> {
    const deadline = performance.now() + lastTriesMs;
    for (;;) {
      await this.#save();
      clearTimeout(this.#timer);
      if (!this.#unsaved && this.#days.length === 0) return;
      if (performance.now() > deadline) break;
      if (this.#unsaved) await sleep(pauseBetweenLastTriesMs);
    }
    this.#options.onLoss(sumOf(this.#unsaved?.usage ?? []) + sumOf(this.#takeBatch().usage));
  }

  #countsOf(keyId: string, at: number): Counts | undefined {
    let today = this.#days.at(-1);
    if (!today || at < today.startsAt || at >= today.startsAt + dayMs) today = this.#openDay(at);
    const known = today.countsOf.get(keyId);
    if (known || this.#size >= maxCounted) return known;
    const counts: Counts = { requests: new Map(), lastUsedAt: at };
    today.countsOf.set(keyId, counts);
    this.#size += 1;
    return counts;
  }

  // A clock may also be set back: to a day that is there already.
  #openDay(at: number): Day {
    const startsAt = at - (at % dayMs);
    const index = this.#days.findIndex((day) => day.startsAt === startsAt);
    const [known] = index === -1 ? [] : this.#days.splice(index, 1);
    const day = known ?? { day: new Date(startsAt).toISOString().slice(0, 10), startsAt, countsOf: new Map() };
    this.#days.push(day);
    return day;
  }

  #save(): Promise<void> {
    this.#saving ??= this.#saveBatch().finally(() => {
      this.#saving = undefined;
      const isLeft = this.#unsaved !== undefined || this.#days.length > 0;
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
    for (const { day, countsOf } of this.#days) {
      for (const [keyId, counts] of countsOf) {
        lastUsedAt.set(keyId, counts.lastUsedAt);
        for (const [outcome, requests] of counts.requests) usage.push({ keyId, day, outcome, requests });
      }
    }
    this.#days = [];
    this.#size = 0;
    this.#batchNumber += 1;
    return { writer: this.#writer, number: this.#batchNumber, usage, lastUsedAt };
  }
}

function sumOf(usage: readonly KeyUsage[]): number {
  return usage.reduce((sum, { requests }) => sum + requests, 0);
}
