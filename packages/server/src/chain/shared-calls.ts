import { LRUCache } from 'lru-cache';
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
