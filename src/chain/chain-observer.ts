import type { FaultKind, UpstreamFault } from './upstream-faults.ts';

/** Hears of what happens between the service and its upstreams. It names them `upstream_1`, `upstream_2`, never by URL. */
export interface ChainObserver {
  /** An attempt to call a method has ended, with a fault or none. */
  attempted(upstream: string, method: string, fault: FaultKind | undefined, milliseconds: number): void;
  /** A call was sent to this upstream too, because another one was slow to answer. */
  hedged(upstream: string): void;
  /** An upstream is used from now on, or is not because of a fault. */
  usageChanged(upstream: string, fault: UpstreamFault | undefined): void;
  /** So many requests shared one call about so many accounts. */
  batchSent(requests: number, accounts: number): void;
}

/** An observer that does not listen. */
export const silentObserver: ChainObserver = {
  attempted: () => undefined,
  hedged: () => undefined,
  usageChanged: () => undefined,
  batchSent: () => undefined,
};
