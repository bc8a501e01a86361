import type { Deadline } from '../chain-reader.ts';
import type { RpcRequest } from '../rpc/rpc-transport.ts';
import { UpstreamFault } from '../upstream-faults.ts';
import { callWithFailover } from './failover-call.ts';
import type { Upstream } from './upstream.ts';

/** One upstream, asked by itself: no other one answers in its place. */
export class UpstreamNode {
  readonly #upstream: Upstream;
  readonly #now: () => number;

  /** `now` is the monotonic clock in milliseconds. */
  constructor(upstream: Upstream, now: () => number) {
    this.#upstream = upstream;
    this.#now = now;
  }

  /** `upstream_1`, `upstream_2` and so on. */
  get name(): string {
    return this.#upstream.name;
  }

  /** Whether requests may be sent to it now. */
  get isUsable(): boolean {
    return this.#upstream.isUsable;
  }

  /**
   * Sends a request, up to three times unless the upstream refuses it. One that is not usable is waited for, a second at most.
   *
   * Throws an `UpstreamFault`.
   */
  call<T>(request: RpcRequest<T>, deadline: Deadline): Promise<T> {
    const upstreams = [this.#upstream];
    return callWithFailover(request, { upstreams, deadline, onHedge: () => undefined, isFinal, now: this.#now });
  }
}

// A node that does not take a call takes it no better a second time.
function isFinal(fault: unknown): boolean {
  return fault instanceof UpstreamFault && fault.kind === 'refused';
}
