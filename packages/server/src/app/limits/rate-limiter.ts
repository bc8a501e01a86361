import type { RateLimiterRes } from 'rate-limiter-flexible';

/** The length of a window: limits are requests per minute. */
export const windowMs = 60_000;

/** The part of an API key that a limiter uses. */
export interface LimitedKey {
  id: string;
  /** The key's own limit in requests per minute; 0 for none, `null` for the limit of the service. */
  rateLimitPerMinute: number | null;
}

/** Whether a request is allowed, and the state of its key's limit afterwards. */
export interface RateLimitDecision {
  isAllowed: boolean;
  /** Requests per window. */
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** The time until the window ends and the whole limit is available again; from 1 to the length of a window. */
  remainingMs: number;
}

/** How many requests of a key its window has counted, and the milliseconds until it ends. */
export type WindowCount = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

/** Counts the requests of each key in windows of a minute, which begin with the key's first request. */
export interface RequestCounter {
  /** Counts a number of requests of a key, one by default; returns the count of its window, at once where it can. Never rejects. */
  consume(id: string, requests?: number): WindowCount | Promise<WindowCount>;
}

/** The options of `rate-limiter-flexible`, which only counts: the limiter compares the count with the limit of the key. */
export const counterOptions = { points: Number.MAX_SAFE_INTEGER, duration: windowMs / 1000 } as const;

/** Limits each API key: in one window a key never gets more requests than its limit. */
export class RateLimiter {
  readonly #defaultPerMinute: number;
  readonly #counter: RequestCounter;

  /** `defaultPerMinute` is the limit of keys without one of their own; 0 for none. */
  constructor(defaultPerMinute: number, counter: RequestCounter) {
    this.#defaultPerMinute = defaultPerMinute;
    this.#counter = counter;
  }

  /** Returns the limit of a key in requests per minute; 0 for none. */
  limitOf(key: LimitedKey): number {
    return key.rateLimitPerMinute ?? this.#defaultPerMinute;
  }

  /**
   * Counts a number of requests of a key, one by default; `undefined` when the key has no limit.
   *
   * Without a promise where the counter counts at once. Never rejects.
   */
  take(key: LimitedKey, requests = 1): RateLimitDecision | Promise<RateLimitDecision> | undefined {
    const limit = this.limitOf(key);
    if (limit === 0) return undefined;
    const count = this.#counter.consume(key.id, requests);
    return count instanceof Promise ? count.then((counted) => decide(counted, limit)) : decide(count, limit);
  }
}

function decide({ consumedPoints: used, msBeforeNext }: WindowCount, limit: number): RateLimitDecision {
  // After a wall clock was set back, the window would seem longer than it is.
  const remainingMs = Math.min(Math.max(1, msBeforeNext), windowMs);
  return { isAllowed: used <= limit, limit, remaining: Math.max(0, limit - used), remainingMs };
}

interface Window {
  requests: number;
  /** Of the wall clock, in milliseconds. */
  endsAt: number;
}

/** Counts in the memory of this process, at once: the library's counter makes a promise of every count. */
export class MemoryCounter implements RequestCounter {
  readonly #windows = new Map<string, Window>();

  consume(id: string, requests = 1): WindowCount {
    const now = Date.now();
    let window = this.#windows.get(id);
    if (window === undefined || now >= window.endsAt) window = this.#open(id, now + windowMs);
    window.requests += requests;
    return { consumedPoints: window.requests, msBeforeNext: window.endsAt - now };
  }

  #open(id: string, endsAt: number): Window {
    const window = { requests: 0, endsAt };
    this.#windows.set(id, window);
    setTimeout(() => {
      if (this.#windows.get(id) === window) this.#windows.delete(id);
    }, windowMs).unref();
    return window;
  }
}
