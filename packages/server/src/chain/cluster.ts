import type { Deadline } from './chain-reader.ts';
import { type UpstreamFault, unavailable } from './upstream-faults.ts';

/** The ledger that all upstreams must serve, identified by the genesis hash of the first upstream that answers. */
export class Cluster {
  #genesisHash: string | undefined;

  /** Compares the genesis hash of an upstream with that of the others. Throws an `UpstreamFault` when it differs. */
  admit(genesisHash: string): void {
    this.#genesisHash ??= genesisHash;
    if (genesisHash === this.#genesisHash) return;
    const reason = `it is of the cluster with genesis hash ${genesisHash}, and not ${this.#genesisHash} as the others`;
    throw unavailable('other_cluster', reason);
  }
}

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

/** How wallets name a cluster. */
export interface ClusterNames {
  /** As CAIP-2 has it: `solana:` and the first 32 characters of the genesis hash. */
  blockchainId: string;
  /** As the Wallet Standard has it. */
  chain: 'solana:mainnet' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';
}

const chainsByGenesis: Readonly<Record<string, ClusterNames['chain']>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'solana:mainnet',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'solana:devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'solana:testnet',
};

const idLength = 32;
const timeoutMs = 1_000;
const retryMs = 5_000;

/** Returns the names of the cluster with this genesis hash. */
function clusterNamesOf(genesisHash: string): ClusterNames {
  const chain = chainsByGenesis[genesisHash] ?? 'solana:localnet';
  return { blockchainId: `solana:${genesisHash.slice(0, idLength)}`, chain };
}

/** How the names of a cluster are found. */
export interface ClusterNamingOptions {
  readGenesisHash: (deadline: Deadline) => Promise<string>;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** The names of the cluster of a service: asked for when they are first needed, and kept. */
export class ClusterNaming {
  readonly #options: ClusterNamingOptions;
  #names: Promise<ClusterNames | undefined> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isKnown = false;

  constructor(options: ClusterNamingOptions) {
    this.#options = options;
  }

  /** Resolves with the names; `undefined` while no node gives the genesis hash. A node is asked every five seconds at most. */
  read(): Promise<ClusterNames | undefined> {
    const { now, readGenesisHash } = this.#options;
    if (this.#names && (this.#isKnown || now() - this.#askedAt < retryMs)) return this.#names;
    this.#askedAt = now();
    this.#names = readGenesisHash(now() + timeoutMs).then(
      (hash) => {
        this.#isKnown = true;
        return clusterNamesOf(hash);
      },
      () => undefined,
    );
    return this.#names;
  }
}
