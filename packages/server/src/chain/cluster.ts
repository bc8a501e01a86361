import { type Address, toAddress } from 'splwright-core';
import type { AccountsAtSlot, Consensus, Deadline } from './chain-reader.ts';
import { UpstreamFault, unavailable } from './upstream-faults.ts';

/** The cluster that all upstreams must serve, identified by the genesis hash of the first upstream that answers. */
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

/** Returns the names of the cluster with this genesis hash. */
export function clusterNamesOf(genesisHash: string): ClusterNames {
  const chain = chainsByGenesis[genesisHash] ?? 'solana:localnet';
  return { blockchainId: `solana:${genesisHash.slice(0, idLength)}`, chain };
}

/**
 * The account with the certificate of the first block of Alpenglow, empty before (SIMD-0326; agave `votor`, seed `carlgration`).
 *
 * Every node has it; `getAgGenesisCert` says the same, and nodes before agave 4.2 do not know it.
 */
export const alpenglowCertificate: Address = toAddress('42Ym56TQ7AKFThRv5nyoSABq5ZPgE2TLKo8BALZEtoU1');

/** Returns the consensus that the account `alpenglowCertificate` tells of. */
export function consensusOf([certificate]: AccountsAtSlot['accounts']): Consensus {
  return certificate && certificate.data.length > 0 ? 'alpenglow' : 'tower_bft';
}

/** How a fact about the cluster is read, and how long it holds. */
export interface ClusterFactOptions<T> {
  read: (deadline: Deadline) => Promise<T | undefined>;
  keepMs: (value: T | undefined) => number;
  /** After how long it is asked for again when no node told it. */
  retryMs: number;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

const timeoutMs = 1_000;

/** A fact about the cluster that seldom changes: read when it is needed, by one call for all who need it. */
export class ClusterFact<T> {
  readonly #options: ClusterFactOptions<T>;
  #known: T | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<T | undefined> | undefined;

  constructor(options: ClusterFactOptions<T>) {
    this.#options = options;
  }

  /** The fact as it was read last; sends nothing. */
  get known(): T | undefined {
    return this.#known;
  }

  /** Resolves with the fact within a second; with what was known before, or `undefined`, when no node tells it. */
  async read(): Promise<T | undefined> {
    if (this.#options.now() < this.#dueAt) return this.#known;
    this.#reading ??= this.#ask().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #ask(): Promise<T | undefined> {
    const { read, keepMs, retryMs, now } = this.#options;
    try {
      this.#known = await read(now() + timeoutMs);
      this.#dueAt = now() + keepMs(this.#known);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      this.#dueAt = now() + retryMs;
    }
    return this.#known;
  }
}
