import type { FaultKind, UpstreamFault } from './upstream-faults.ts';

/** Observes the calls to the upstreams, which are named `upstream_1`, `upstream_2`, never by URL. */
export interface ChainObserver {
  /** An attempt to call a method has ended, with a fault or none. */
  attempted(upstream: string, method: string, fault: FaultKind | undefined, durationMs: number): void;
  /** A call was sent to this upstream too, because another one was slow to answer. */
  hedged(upstream: string): void;
  /** An upstream is used from now on, or, with a fault, is not. */
  usageChanged(upstream: string, fault: UpstreamFault | undefined): void;
  /** One call for accounts was sent, for this many requests. */
  batchSent(requests: number, accounts: number): void;
}

/** An observer that does nothing. */
export const silentObserver: ChainObserver = {
  attempted: () => undefined,
  hedged: () => undefined,
  usageChanged: () => undefined,
  batchSent: () => undefined,
};
