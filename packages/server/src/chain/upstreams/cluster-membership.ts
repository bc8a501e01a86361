import type { UpstreamFault } from '../upstream-faults.ts';
import type { Cluster } from './cluster.ts';

// How often an upstream in use is asked which ledger it serves.
const checkIntervalMs = 30_000;

/** Whether one upstream serves the same ledger as the others. Times are readings of the monotonic clock, in milliseconds. */
export class ClusterMembership {
  readonly #cluster: Cluster | undefined;
  /** When the upstream was last seen to serve the same ledger; `undefined` while that is not known. */
  #joinedAt: number | undefined;
  /** Set as long as it serves another ledger. */
  #fault: UpstreamFault | undefined;

  /** Without a `cluster` there is no other upstream to compare with: it always serves the same ledger. */
  constructor(cluster: Cluster | undefined) {
    this.#cluster = cluster;
    if (!cluster) this.#joinedAt = Number.POSITIVE_INFINITY;
  }

  /** The ledger to compare with. */
  get cluster(): Cluster | undefined {
    return this.#cluster;
  }

  /** Whether the upstream is known to serve the same ledger. */
  get isJoined(): boolean {
    return this.#joinedAt !== undefined;
  }

  /** The fault of an upstream that serves another ledger. */
  get fault(): UpstreamFault | undefined {
    return this.#fault;
  }

  /** Returns whether the ledger is to be compared again now: `true` once in each interval. */
  takeCheck(now: number): boolean {
    if (this.#joinedAt === undefined || now - this.#joinedAt <= checkIntervalMs) return false;
    this.#joinedAt = now;
    return true;
  }

  /** Notes that the upstream serves the same ledger. */
  join(now: number): void {
    this.#fault = undefined;
    this.#joinedAt = now;
  }

  /** Notes that it serves another ledger. */
  reject(fault: UpstreamFault): void {
    this.#fault = fault;
    this.#joinedAt = undefined;
  }

  /** Notes that it may serve another ledger when it answers again. */
  leave(): void {
    if (this.#cluster) this.#joinedAt = undefined;
  }
}
