import type { LimitedKey, RateLimitDecision, RateLimiter } from './rate-limiter.ts';
import { WindowCounter } from './window-counter.ts';

/** Limits the requests that this process takes, with nothing but its memory. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #defaultPerMinute: number;
  readonly #counter: WindowCounter;

  /** `defaultPerMinute` is the limit of keys without one of their own, 0 for none; `now` a clock that never goes back. */
  constructor(defaultPerMinute: number, now: () => number) {
    this.#defaultPerMinute = defaultPerMinute;
    this.#counter = new WindowCounter(now);
  }

  take(key: LimitedKey): RateLimitDecision | undefined {
    const limit = key.rateLimitPerMinute ?? this.#defaultPerMinute;
    if (limit === 0) return undefined;
    const { granted, remaining, millisecondsLeft } = this.#counter.take(key.id, limit, 1);
    return { isAllowed: granted === 1, limit, remaining, millisecondsLeft };
  }
}
