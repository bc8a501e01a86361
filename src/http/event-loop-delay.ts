const sampleMilliseconds = 100;

/**
 * How late the event loop is, sampled ten times a second: the time that whatever is ready now must wait for its turn.
 *
 * One long turn is no overload: the lesser of the last two samples counts.
 */
export class EventLoopDelay {
  readonly #timer: NodeJS.Timeout;
  #dueAt: number;
  #latest = 0;
  #previous = 0;

  constructor() {
    this.#dueAt = performance.now() + sampleMilliseconds;
    this.#timer = setInterval(() => this.#sample(), sampleMilliseconds).unref();
  }

  /** The delay in milliseconds. */
  get milliseconds(): number {
    return Math.min(this.#latest, this.#previous);
  }

  /** Ends the sampling. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const now = performance.now();
    this.#previous = this.#latest;
    this.#latest = Math.max(0, now - this.#dueAt);
    this.#dueAt = now + sampleMilliseconds;
  }
}
