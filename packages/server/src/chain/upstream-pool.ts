import { ChainHead } from './chain-head.ts';
import type { Deadline, UpstreamHealth } from './chain-reader.ts';
import { Cluster } from './cluster.ts';
import { callWithFailover, UpstreamNode } from './failover-call.ts';
import type { ProxySettings, RpcRequest } from './rpc-transport.ts';
import { Upstream, type UpstreamState } from './upstream.ts';
import { type ChainObserver, UpstreamFault } from './upstream-faults.ts';

/** How the upstreams are reached. */
export interface UpstreamPoolOptions {
  /** The preferred upstream first, at least one. */
  urls: readonly string[];
  /** How long one attempt may take. */
  timeoutMs: number;
  proxy?: ProxySettings | undefined;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** The state of an upstream, as the service sees it. */
export interface UpstreamStatus {
  name: string;
  state: UpstreamState;
  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  slotLag: bigint | undefined;
}

/** The upstreams of a service, named `upstream_1`, `upstream_2` and so on in the order of their preference. */
export class UpstreamPool {
  /** The newest slot of any upstream. */
  readonly head: ChainHead;
  /** Each upstream by itself, the preferred one first. */
  readonly nodes: readonly UpstreamNode[];
  readonly #upstreams: readonly Upstream[];
  readonly #options: UpstreamPoolOptions;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
    const { urls, now } = options;
    const hasSeveralUpstreams = urls.length > 1;
    this.head = new ChainHead({ hasSeveralUpstreams, now });
    const cluster = hasSeveralUpstreams ? new Cluster() : undefined;
    this.#upstreams = urls.map(
      (url, index) => new Upstream({ ...options, name: `upstream_${index + 1}`, url, head: this.head, cluster }),
    );
    this.nodes = this.#upstreams.map((upstream) => new UpstreamNode(upstream, now));
  }

  /** Sends a request to the preferred usable upstream, and to others when it fails or is slow. Throws an `UpstreamFault`. */
  call<T>(request: RpcRequest<T>, deadline: Deadline): Promise<T> {
    const { observer, now } = this.#options;
    const onHedge = ({ name }: Upstream): void => observer.hedged(name);
    return callWithFailover(request, { upstreams: this.#upstreams, deadline, onHedge, now });
  }

  /**
   * Compares the ledgers that the upstreams serve. Those that do not answer are reported to the observer and compared later.
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

  /** The states of the upstreams; sends nothing. */
  get statuses(): readonly UpstreamStatus[] {
    return this.#upstreams.map(({ name, state, slotLag }) => ({ name, state, slotLag }));
  }

  /** Asks every upstream for its health. */
  checkHealth(deadline: Deadline): Promise<readonly UpstreamHealth[]> {
    const timeoutMs = Math.max(0, deadline - this.#options.now());
    return Promise.all(
      this.#upstreams.map(async (upstream) => {
        const fault = await upstream.check(timeoutMs);
        const reason = fault?.reason ?? describeStandstill(this.head);
        return { name: upstream.name, reason, slotLag: upstream.slotLag };
      }),
    );
  }

  /** Closes all connections once the requests under way have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }
}

function describeStandstill({ standstill }: Pick<ChainHead, 'standstill'>): string | undefined {
  if (!standstill) return undefined;
  const seconds = Math.floor(standstill.ms / 1_000);
  return `its newest confirmed slot, ${standstill.slot}, has not moved for ${seconds} s: it hangs, or the cluster confirms no blocks`;
}
