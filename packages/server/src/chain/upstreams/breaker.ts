/** Whether requests are sent: `closed` yes, `open` no, `half_open` no, while a probe decides it. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/**
 * A circuit breaker that opens after several failures in a row, and closes only when a probe succeeds.
 *
 * It neither times nor sends anything. Attempts that end while it is not closed do not count: the probe decides.
 */
export class Breaker {
  readonly #maxFailures: number;
  #state: BreakerState = 'closed';
  #failures = 0;

  /** It opens at the failure number `maxFailures`, counted from the last success. */
  constructor(maxFailures: number) {
    this.#maxFailures = maxFailures;
  }

  /** Whether requests are to be sent. */
  get state(): BreakerState {
    return this.#state;
  }

  /** Counts an attempt that succeeded. */
  succeeded(): void {
    if (this.#state === 'closed') this.#failures = 0;
  }

  /** Counts an attempt that failed. Returns whether the breaker opened at this failure. */
  failed(): boolean {
    if (this.#state !== 'closed') return false;
    this.#failures += 1;
    if (this.#failures < this.#maxFailures) return false;
    this.#state = 'open';
    return true;
  }

  /** Runs a probe, one at a time: closes when it succeeds. Throws what the probe throws; an open breaker then stays open. */
  async probe(run: () => Promise<void>): Promise<void> {
    if (this.#state === 'open') this.#state = 'half_open';
    try {
      await run();
    } catch (error) {
      if (this.#state === 'half_open') this.#state = 'open';
      throw error;
    }
    this.#state = 'closed';
    this.#failures = 0;
  }
}
