import type { UpstreamFault } from './upstream-faults.ts';

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

// The pauses between probes double from the first to the last. An upstream that limits our rate is given longer ones.
const usualPauses = { firstMs: 250, lastMs: 500 };
const rateLimitPauses = { firstMs: 1_000, lastMs: 5_000 };

/** When the next probe of an upstream is due. Times are readings of the monotonic clock, in milliseconds. */
export class ProbeSchedule {
  #failedProbes = 0;
  #dueAt = Number.NEGATIVE_INFINITY;

  /** From when on the upstream may be probed. */
  get dueAt(): number {
    return this.#dueAt;
  }

  /** Makes the next pause the first one again. */
  reset(): void {
    this.#failedProbes = 0;
  }

  /** Puts the next probe off by the next pause after `since`, or by the longer rest that the upstream asked for. */
  postpone(since: number, fault: UpstreamFault | undefined): void {
    const { firstMs, lastMs } = fault?.kind === 'rate_limited' ? rateLimitPauses : usualPauses;
    const pauseMs = Math.min(firstMs * 2 ** this.#failedProbes, lastMs);
    this.#failedProbes += 1;
    this.#dueAt = since + Math.max(pauseMs, fault?.restMs ?? 0);
  }

  /** Puts the next probe off until a moment. */
  postponeUntil(at: number): void {
    this.#dueAt = at;
  }
}
