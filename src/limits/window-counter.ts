import { windowMilliseconds } from './rate-limiter.ts';

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
  /** The window that began first comes first, so that what has ended is found at the front. */
  readonly #windows = new Map<string, Window>();

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes up to `wanted` requests from the budget of a key, of `limit` requests per window. */
  take(id: string, limit: number, wanted: number): Taken {
    const now = this.#now();
    let window = this.#windows.get(id);
    if (window === undefined || window.endsAt <= now) window = this.#begin(id, now);
    const granted = Math.max(0, Math.min(wanted, limit - window.used));
    window.used += granted;
    return { granted, remaining: Math.max(0, limit - window.used), millisecondsLeft: window.endsAt - now };
  }

  /** How many windows are held in memory: never more than twice the keys that were used within two minutes. */
  get size(): number {
    return this.#windows.size;
  }

  #begin(id: string, now: number): Window {
    this.#windows.delete(id);
    this.#forgetTwo(now);
    const window = { endsAt: now + windowMilliseconds, used: 0 };
    this.#windows.set(id, window);
    return window;
  }

  // Two for each that begins: memory follows the number of keys in use, without a timer and without a pause.
  #forgetTwo(now: number): void {
    let count = 0;
    for (const [id, window] of this.#windows) {
      if (window.endsAt > now || count === 2) return;
      this.#windows.delete(id);
      count += 1;
    }
  }
}
