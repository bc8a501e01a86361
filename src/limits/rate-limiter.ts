/** The length of a window: limits are requests per minute. */
export const windowMilliseconds = 60_000;

/** What a limiter needs to know of an API key. */
export interface LimitedKey {
  readonly id: string;
  /** The key's own limit, in requests per minute; 0: none; `null`: the limit of the service. */
  readonly rateLimitPerMinute: number | null;
}

/** Whether a request may go on, and how the budget of its key stands afterwards. */
export interface RateLimitDecision {
  readonly isAllowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  /** Requests left in this window; the last that is known where several processes share the budget. */
  readonly remaining: number;
  /** How long until the window ends and the whole limit is back; more than 0. */
  readonly millisecondsLeft: number;
}

/**
 * Holds each API key to its limit, in windows of a minute of which each begins with the key's first request.
 *
 * A key never gets more than its limit in one window.
 */
export interface RateLimiter {
  /**
   * Takes one request from the budget of a key; `undefined` when the key has no limit.
   *
   * The decision comes at once unless other processes must be asked. Never throws and never rejects.
   */
  take(key: LimitedKey): RateLimitDecision | Promise<RateLimitDecision> | undefined;
}
