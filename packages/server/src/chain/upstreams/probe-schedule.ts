import type { UpstreamFault } from '../upstream-faults.ts';

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
