import type { Deadline } from '../chain-reader.ts';

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

/** What finds out the names of a cluster. */
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

  /** Resolves with the names; with `undefined` while no node says them, of which one is asked every five seconds at most. */
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
