import { type RequestCounter, type WindowCount, windowMs } from './rate-limiter.ts';

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
