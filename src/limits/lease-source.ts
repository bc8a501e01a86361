import type { Taken } from './window-counter.ts';

/** What a process asks of a shared budget. */
export interface LeaseRequest {
  readonly id: string;
  /** Requests per window. */
  readonly limit: number;
  /** How many requests it would like to be granted; at least 1. */
  readonly wanted: number;
}

/** Where the budgets are kept that several processes share. */
export interface LeaseSource {
  /** Whether it can be asked now. */
  readonly isReachable: boolean;
  /** Takes from several budgets at once; answers in their order. Rejects when it cannot be reached. */
  lease(requests: readonly LeaseRequest[]): Promise<readonly Taken[]>;
}
