import type { Account, Address } from 'splwright-core';
import { AccountBatcher } from './account-batcher.ts';
import { BlockhashSource } from './blockhash-source.ts';
import type { ChainHistory } from './chain-history.ts';
import type {
  AccountsAtSlot,
  BlockhashAtSlot,
  ChainReader,
  Consensus,
  Deadline,
  FreshBlockhash,
  Simulation,
  UpstreamHealth,
} from './chain-reader.ts';
import {
  accountsRequest,
  blockhashKnownRequest,
  blockhashRequest,
  genesisHashRequest,
  pricesRequest,
  simulationRequest,
  slotTimeRequest,
  tokenAccountsRequest,
} from './chain-requests.ts';
import { alpenglowCertificate, ClusterFact, type ClusterNames, clusterNamesOf, consensusOf } from './cluster.ts';
import { RpcChainHistory } from './rpc-node-history.ts';
import { SharedCalls } from './shared-calls.ts';
import { type ChainObserver, silentObserver } from './upstream-faults.ts';
import { UpstreamPool, type UpstreamPoolOptions, type UpstreamStatus } from './upstream-pool.ts';

/** How to read the chain. */
export interface RpcChainReaderOptions {
  /** The preferred upstream first, at least one. */
  urls: readonly string[];
  /** How long one attempt may take. */
  timeoutMs: number;
  proxy?: UpstreamPoolOptions['proxy'];
  /** Of the cluster, in base58, where it is known: then no node is asked for it. */
  genesisHash?: string | undefined;
  /** A second by default; 0: none is kept. */
  blockhashMaxAgeMs?: number;
  /** How many upstreams must show a landed transaction, at most as many as there are; 1 by default. */
  quorum?: number;
  observer?: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

const usualBlockhashMaxAgeMs = 1_000;

// How long a node may look for token accounts.
const tokenAccountsTimeoutMs = 2_000;

// Prices change within seconds.
const pricesKept = { keepMs: 5_000, max: 1_000 };

// Nodes measure the time of a slot once a minute.
const slotTimeMs = 60_000;

// Alpenglow is for good. A cluster without it may migrate.
const consensusMs = { alpenglow: Number.POSITIVE_INFINITY, tower_bft: 3_600_000 };
const consensusRetryMs = 10_000;

const namesRetryMs = 5_000;

/** Reads the chain over JSON-RPC; requests share its answers about accounts, its blockhash and its prices. */
export class RpcChainReader implements ChainReader {
  /** The past, as each upstream by itself tells it. */
  readonly history: ChainHistory;
  readonly #pool: UpstreamPool;
  readonly #accounts: AccountBatcher;
  readonly #blockhashes: BlockhashSource;
  readonly #prices: SharedCalls<readonly bigint[]>;
  readonly #slotTime: ClusterFact<number>;
  readonly #consensus: ClusterFact<Consensus>;
  readonly #names: ClusterFact<ClusterNames>;
  #genesisHash: string | undefined;
  readonly #now: () => number;

  constructor(options: RpcChainReaderOptions) {
    const {
      now,
      observer = silentObserver,
      quorum = 1,
      blockhashMaxAgeMs: maxAgeMs = usualBlockhashMaxAgeMs,
    } = options;
    const pool = new UpstreamPool({ ...options, observer });
    this.#pool = pool;
    this.#genesisHash = options.genesisHash;
    this.#now = now;
    this.history = new RpcChainHistory({ pool, quorum, now });
    this.#accounts = new AccountBatcher({
      call: (addresses, deadline) => pool.call(accountsRequest(addresses, pool.head), deadline),
      callWhole: (addresses, deadline) => pool.call(accountsRequest(addresses, pool.head, true), deadline),
      observer,
      now,
    });
    this.#blockhashes = new BlockhashSource({
      call: (deadline, check) => pool.call(blockhashRequest(pool.head, check), deadline),
      maxAgeMs,
      now,
    });
    this.#prices = new SharedCalls({ ...pricesKept, now });
    this.#slotTime = new ClusterFact({
      read: async (deadline) => (await pool.call(slotTimeRequest, deadline)) ?? undefined,
      keepMs: () => slotTimeMs,
      retryMs: slotTimeMs,
      now,
    });
    this.#consensus = new ClusterFact({
      read: async (deadline) => consensusOf((await this.readAccounts([alpenglowCertificate], deadline)).accounts),
      keepMs: (consensus) => (consensus ? consensusMs[consensus] : 0),
      retryMs: consensusRetryMs,
      now,
    });
    this.#names = new ClusterFact({
      read: async (deadline) => clusterNamesOf(await this.readGenesisHash(deadline)),
      keepMs: () => Number.POSITIVE_INFINITY,
      retryMs: namesRetryMs,
      now,
    });
  }

  /** Resolves with the genesis hash in base58, which identifies the cluster: read once. */
  async readGenesisHash(deadline: Deadline): Promise<string> {
    this.#genesisHash ??= await this.#pool.call(genesisHashRequest, deadline);
    return this.#genesisHash;
  }

  /** Compares the ledgers of the upstreams. Throws an `UpstreamFault` when they are not the same. */
  compareClusters(): Promise<void> {
    return this.#pool.compareClusters();
  }

  readAccounts(addresses: readonly Address[], deadline: Deadline): Promise<AccountsAtSlot> {
    return this.#accounts.read(addresses, deadline);
  }

  readBlockhash(deadline: Deadline): FreshBlockhash | Promise<FreshBlockhash> {
    return this.#blockhashes.read(deadline);
  }

  isBlockhashValid(blockhash: string, deadline: Deadline): Promise<BlockhashAtSlot> {
    return this.#pool.call(blockhashKnownRequest(blockhash, this.#pool.head), deadline);
  }

  readRecentPrices(addresses: readonly Address[], deadline: Deadline): Promise<readonly bigint[]> {
    return this.#prices.read(addresses.join(), deadline, (until) => this.#pool.call(pricesRequest(addresses), until));
  }

  readTokenAccounts(wallet: Address, mint: Address, deadline: Deadline): Promise<ReadonlyMap<Address, Account>> {
    const until = Math.min(deadline, this.#now() + tokenAccountsTimeoutMs);
    return this.#pool.call(tokenAccountsRequest(wallet, mint, this.#pool.head), until);
  }

  /** Resolves with how many milliseconds a slot of the cluster takes; with `undefined` where no node says it within a second. */
  readSlotMs(): Promise<number | undefined> {
    return this.#slotTime.read();
  }

  /** The consensus of the cluster, if it is known; sends nothing. */
  get consensus(): Consensus | undefined {
    return this.#consensus.known;
  }

  /** Resolves with the consensus of the cluster; with `undefined` where no node tells it within a second. */
  readConsensus(): Promise<Consensus | undefined> {
    return this.#consensus.read();
  }

  /** Resolves with how wallets name the cluster; with `undefined` while no node gives its genesis hash. */
  readClusterNames(): Promise<ClusterNames | undefined> {
    return this.#names.read();
  }

  /** For how many milliseconds the newest slot has not moved while nodes answered; 0 while it moves. Sends nothing. */
  get standstillMs(): number {
    return this.#pool.head.standstill?.ms ?? 0;
  }

  async simulate(transaction: Uint8Array, deadline: Deadline): Promise<Simulation> {
    const { simulation } = await this.#pool.call(simulationRequest(transaction, this.#pool.head), deadline);
    return simulation;
  }

  /** The states of the upstreams; sends nothing. */
  get upstreams(): readonly UpstreamStatus[] {
    return this.#pool.statuses;
  }

  /** Asks all upstreams how they are now: two calls to each. */
  checkHealth(deadline: Deadline): Promise<readonly UpstreamHealth[]> {
    return this.#pool.checkHealth(deadline);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
