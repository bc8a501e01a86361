import { ChainHead } from './chain-head.ts';
import type { ChainObserver } from './chain-observer.ts';
import type { Deadline } from './chain-reader.ts';
import { Cluster } from './cluster.ts';
import { callWithFailover } from './failover-call.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { Upstream, type UpstreamState } from './upstream.ts';
import { UpstreamFault } from './upstream-faults.ts';

/** What a pool is made of. */
export interface UpstreamPoolOptions {
  /** The preferred upstream first, at least one. */
  urls: readonly string[];
  /** The longest that one attempt may take, in milliseconds. */
  timeoutMilliseconds: number;
  /** How many slots an answer may be behind the newest one seen on any upstream. */
  maximumSlotLag: number;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** How an upstream is held. */
export interface UpstreamStatus {
  name: string;
  state: UpstreamState;
  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  slotLag: bigint | undefined;
}

/** How an upstream is when it is asked. */
export interface UpstreamHealth {
  name: string;
  /** What is wrong with it, if anything is. */
  reason: string | undefined;
  /** As in its status. */
  slotLag: bigint | undefined;
}

/** The upstreams of a service, named `upstream_1`, `upstream_2` and so on in the order of their preference. */
export class UpstreamPool {
  /** The newest slot that any of them has shown. */
  readonly head: ChainHead;
  readonly #upstreams: readonly Upstream[];
  readonly #options: UpstreamPoolOptions;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
    const hasSeveralUpstreams = options.urls.length > 1;
    this.head = new ChainHead({ ...options, hasSeveralUpstreams });
    const cluster = hasSeveralUpstreams ? new Cluster() : undefined;
    this.#upstreams = options.urls.map(
      (url, index) => new Upstream({ ...options, name: `upstream_${index + 1}`, url, head: this.head, cluster }),
    );
  }

  /** Sends a request to the upstream that is fittest now, and to others when it fails. Throws an `UpstreamFault`. */
  call<T>(request: RpcRequest<T>, deadline: Deadline): Promise<T> {
    const { observer, now } = this.#options;
    const onHedge = ({ name }: Upstream): void => observer.hedged(name);
    return callWithFailover(request, { upstreams: this.#upstreams, deadline, onHedge, now });
  }

  /**
   * Compares the ledgers that the upstreams serve. The observer hears of those that do not answer: they are compared when they do.
   *
   * Throws an `UpstreamFault` of the kind `other_cluster` when two of them serve different ones.
   */
  async compareClusters(): Promise<void> {
    if (this.#upstreams.length === 1) return;
    await Promise.all(
      this.#upstreams.map(async (upstream) => {
        try {
          await upstream.join();
        } catch (error) {
          if (!(error instanceof UpstreamFault) || error.kind === 'other_cluster') throw error;
          this.#options.observer.usageChanged(upstream.name, error);
        }
      }),
    );
  }

  /** How the upstreams are held, without asking them. */
  get statuses(): readonly UpstreamStatus[] {
    return this.#upstreams.map(({ name, state, slotLag }) => ({ name, state, slotLag }));
  }

  /** Asks all of them how they are now. */
  checkHealth(deadline: Deadline): Promise<readonly UpstreamHealth[]> {
    const milliseconds = Math.max(0, deadline - this.#options.now());
    return Promise.all(
      this.#upstreams.map(async (upstream) => {
        const fault = await upstream.check(milliseconds);
        return { name: upstream.name, reason: fault?.reason, slotLag: upstream.slotLag };
      }),
    );
  }

  /** Closes all connections, once what is under way has ended. */
  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }
}
