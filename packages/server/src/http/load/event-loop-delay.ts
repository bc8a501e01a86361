const sampleMs = 100;

/**
 * How late the event loop is, sampled ten times a second: how long a callback that is ready waits for its turn.
 *
 * The smaller of the last two samples counts, since a single long turn is no overload.
 */
export class EventLoopDelay {
  readonly #timer: NodeJS.Timeout;
  #dueAt: number;
  #latest = 0;
  #previous = 0;

  constructor() {
    this.#dueAt = performance.now() + sampleMs;
    this.#timer = setInterval(() => this.#sample(), sampleMs).unref();
  }

  /** The delay. */
  get delayMs(): number {
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
    this.#dueAt = now + sampleMs;
  }
}
