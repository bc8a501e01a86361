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

/** Work that several requests wait for, such as one upstream call. */
export interface SharedWork {
  /** Adds the request that asks now. */
  join(): void;
  /** Does the work on behalf of all that have joined; more may join while it runs. */
  run<T>(work: () => T): T;
}

/** Keeps track of the requests on whose behalf code runs, so that a trace says for which of them a call was made. */
export interface WorkTracer {
  /** Begins work that requests share, on behalf of the one that asks now, if there is one. */
  share(): SharedWork;
  /** Returns a function that does the same on behalf of the request that asks now, whichever request calls it. */
  bind<Given extends readonly unknown[], Result>(action: (...given: Given) => Result): (...given: Given) => Result;
}
