import type { RateLimiterRes } from 'rate-limiter-flexible';

/** The length of a window: limits are requests per minute. */
export const windowMs = 60_000;

/** What a limiter needs to know of an API key. */
export interface LimitedKey {
  id: string;
  /** The key's own limit, in requests per minute; 0: none; `null`: the limit of the service. */
  rateLimitPerMinute: number | null;
}

/** Whether a request may go on, and how the budget of its key stands afterwards. */
export interface RateLimitDecision {
  isAllowed: boolean;
  /** Requests per window. */
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** How long until the window ends and the whole limit is back; from 1 to the length of a window. */
  msLeft: number;
}

/** Counts the requests of each key, in windows of a minute of which each begins with the key's first request. */
export interface RequestCounter {
  /** Counts one request of a key, and resolves with the count of its window. Never rejects. */
  consume(id: string): Promise<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>>;
}

/** What `rate-limiter-flexible` counts with: it only counts, and a limiter compares with the limit of the key. */
export const counterOptions = { points: Number.MAX_SAFE_INTEGER, duration: windowMs / 1000 } as const;

/** Holds each API key to its limit: a key never gets more than that in one window. */
export class RateLimiter {
  readonly #defaultPerMinute: number;
  readonly #counter: RequestCounter;

  /** `defaultPerMinute` is the limit of keys without one of their own; 0: none. */
  constructor(defaultPerMinute: number, counter: RequestCounter) {
    this.#defaultPerMinute = defaultPerMinute;
    this.#counter = counter;
  }

  /** Takes one request from the budget of a key; `undefined` when the key has no limit. Never rejects. */
  take(key: LimitedKey): Promise<RateLimitDecision> | undefined {
    const limit = key.rateLimitPerMinute ?? this.#defaultPerMinute;
    return limit === 0 ? undefined : this.#decide(key.id, limit);
  }

  async #decide(id: string, limit: number): Promise<RateLimitDecision> {
    const { consumedPoints: used, msBeforeNext } = await this.#counter.consume(id);
    // A wall clock that was set back would make a window longer than it is.
    const msLeft = Math.min(Math.max(1, msBeforeNext), windowMs);
    return { isAllowed: used <= limit, limit, remaining: Math.max(0, limit - used), msLeft };
  }
}
