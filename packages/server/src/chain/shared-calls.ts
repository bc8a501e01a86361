import { LRUCache } from 'lru-cache';
import type { SignatureStatus, StatusesAtSlot } from './chain-history.ts';
import type { Deadline } from './chain-reader.ts';
import { tooSlow } from './upstream-faults.ts';

// The longest time of a timer.
const maxTimerMs = 2 ** 31 - 1;

/**
 * Resolves with an answer that requests share. Throws `upstream_timeout` when it is not there by the deadline of this one.
 *
 * `now` is the monotonic clock in milliseconds.
 */
export function byDeadline<T>(answer: Promise<T>, deadline: Deadline, now: () => number): Promise<T> {
  return new Promise((resolve, reject) => {
    const leftMs = deadline - now();
    const refuse = (): void => reject(tooSlow());
    if (leftMs <= 0) refuse();
    const timer = setTimeout(refuse, Math.min(leftMs, maxTimerMs));
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      act();
    };
    answer.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** How long and how many answers are kept. */
export interface SharedCallsOptions {
  /** How long a call serves other requests too, from when it was sent; 400 ms by default. */
  keepMs?: number;
  /** How many are kept: fewer where they are large. */
  max?: number;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

interface SharedCall<T> {
  sentAt: number;
  /** When the call is given up. */
  deadline: Deadline;
  answer: Promise<T>;
  isReceived: boolean;
}

// What depends on a slot has the slot in its key.
const usualKeepMs = 400;
const usualMax = 10_000;

/**
 * Shares each call among the requests with the same key for some time, unless newer ones have displaced it.
 *
 * A failed call is shared only among the requests that already wait for it.
 */
export class SharedCalls<T> {
  readonly #keepMs: number;
  readonly #now: () => number;
  readonly #calls: LRUCache<string, SharedCall<T>>;

  constructor({ keepMs = usualKeepMs, max = usualMax, now }: SharedCallsOptions) {
    this.#keepMs = keepMs;
    this.#now = now;
    // Large answers are not kept in memory until the next request comes.
    this.#calls = new LRUCache({ max, ttl: keepMs, ttlAutopurge: true });
  }

  /**
   * Returns what `send` resolves with, or what it resolved with for an earlier request with the same key.
   *
   * Throws what `send` throws, and `upstream_timeout` at the deadline.
   */
  async read(key: string, deadline: Deadline, send: (deadline: Deadline) => Promise<T>): Promise<T> {
    const now = this.#now();
    if (now >= deadline) throw tooSlow();
    const known = this.#calls.get(key);
    const call = known && this.#serves(known, deadline) ? known : this.#send(key, deadline, send);
    return call.isReceived ? call.answer : byDeadline(call.answer, deadline, this.#now);
  }

  #serves({ sentAt, isReceived, deadline }: SharedCall<T>, requestDeadline: Deadline): boolean {
    if (this.#now() - sentAt >= this.#keepMs) return false;
    // A call that is given up long before this request would fail it too early.
    return isReceived || deadline + usualKeepMs >= requestDeadline;
  }

  #send(key: string, deadline: Deadline, send: (deadline: Deadline) => Promise<T>): SharedCall<T> {
    const call: SharedCall<T> = { sentAt: this.#now(), deadline, answer: send(deadline), isReceived: false };
    this.#calls.set(key, call);
    call.answer.then(
      () => {
        call.isReceived = true;
      },
      () => {
        if (this.#calls.peek(key) === call) this.#calls.delete(key);
      },
    );
    return call;
  }
}

// How many signatures one `getSignatureStatuses` takes at most (agave `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`).
const maxStatuses = 256;

/** The status of one signature as of a slot of its node. */
export interface StatusAtSlot {
  slot: bigint;
  status: SignatureStatus | null;
}

interface Batch {
  signatures: string[];
  deadline: Deadline;
  answer: PromiseWithResolvers<StatusesAtSlot>;
  isSent: boolean;
}

/** Combines the signatures that are asked for in one turn of the event loop into calls of up to 256. */
export class StatusBatcher {
  readonly #call: (signatures: readonly string[], deadline: Deadline) => Promise<StatusesAtSlot>;
  #open: Batch | undefined;

  /** `call` reads the statuses of up to 256 signatures in one upstream call. */
  constructor(call: (signatures: readonly string[], deadline: Deadline) => Promise<StatusesAtSlot>) {
    this.#call = call;
  }

  /** Reads the status of a signature. Throws what the upstream call throws. */
  async read(signature: string, deadline: Deadline): Promise<StatusAtSlot> {
    this.#open ??= this.#newBatch();
    const batch = this.#open;
    const index = batch.signatures.push(signature) - 1;
    batch.deadline = Math.max(batch.deadline, deadline);
    if (batch.signatures.length === maxStatuses) this.#send(batch);
    const { slot, statuses } = await batch.answer.promise;
    return { slot, status: statuses[index] ?? null };
  }

  #newBatch(): Batch {
    const answer = Promise.withResolvers<StatusesAtSlot>();
    const batch: Batch = { signatures: [], deadline: Number.NEGATIVE_INFINITY, answer, isSent: false };
    setImmediate(() => this.#send(batch));
    return batch;
  }

  #send(batch: Batch): void {
    if (batch.isSent) return;
    batch.isSent = true;
    if (this.#open === batch) this.#open = undefined;
    this.#call(batch.signatures, batch.deadline).then(batch.answer.resolve, batch.answer.reject);
  }
}
