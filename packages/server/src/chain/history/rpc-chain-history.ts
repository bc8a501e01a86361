import type { ChainHistory, NodeHistory } from '../chain-history.ts';
import type { DeadlineWatch } from '../reads/shared-answer.ts';
import type { UpstreamNode } from '../upstreams/upstream-node.ts';
import type { UpstreamPool } from '../upstreams/upstream-pool.ts';
import { RpcNodeHistory } from './rpc-node-history.ts';

/** The upstreams, and what their histories share with the rest of the reader. */
export interface RpcChainHistoryOptions {
  pool: UpstreamPool;
  watch: DeadlineWatch;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// One node may have lost what another one has, even where a single good answer is enough for what is there.
const minDenials = 2;

/** The past over JSON-RPC, from the upstreams of a pool, each asked by itself. */
export class RpcChainHistory implements ChainHistory {
  readonly neededDenials: number;
  readonly neededSightings: number;
  readonly #nodes: readonly { node: UpstreamNode; history: NodeHistory }[];

  constructor({ pool, watch, now }: RpcChainHistoryOptions) {
    this.neededSightings = pool.quorum;
    this.neededDenials = Math.max(pool.quorum, Math.min(minDenials, pool.size));
    this.#nodes = pool.nodes.map((node) => ({
      node,
      history: new RpcNodeHistory({ node, head: pool.head, watch, now }),
    }));
  }

  nodes(): readonly NodeHistory[] {
    const usable = this.#nodes.filter(({ node }) => node.isUsable);
    const others = this.#nodes.filter((each) => !usable.includes(each));
    return [...usable, ...others].map(({ history }) => history);
  }
}
