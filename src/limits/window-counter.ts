import { windowMilliseconds } from './rate-limiter.ts';
import { RecentEntries } from './recent-entries.ts';

/** What was taken from the budget of a key, and how it stands afterwards. */
export interface Taken {
  /** How many requests were granted, of those wanted. */
  readonly granted: number;
  /** How many are left in this window. */
  readonly remaining: number;
  /** How long until the window ends; more than 0. */
  readonly millisecondsLeft: number;
}

interface Window {
  endsAt: number;
  used: number;
}

/** Counts the requests of every key, in windows that begin with a key's first request. */
export class WindowCounter {
  readonly #now: () => number;
  readonly #windows = new RecentEntries<Window>((window, now) => window.endsAt <= now);

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes up to `wanted` requests from the budget of a key, of `limit` requests per window. */
  take(id: string, limit: number, wanted: number): Taken {
    const now = this.#now();
    const window = this.#windowOf(id, now);
    const granted = Math.max(0, Math.min(wanted, limit - window.used));
    window.used += granted;
    return { granted, remaining: Math.max(0, limit - window.used), millisecondsLeft: window.endsAt - now };
  }

  #windowOf(id: string, now: number): Window {
    const known = this.#windows.get(id);
    if (known === undefined) {
      const window = { endsAt: now + windowMilliseconds, used: 0 };
      this.#windows.add(id, window, now);
      return window;
    }
    if (known.endsAt <= now) {
      known.endsAt = now + windowMilliseconds;
      known.used = 0;
    }
    return known;
  }
}
