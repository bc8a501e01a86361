import type { Account, Address } from 'splwright-core';
import { AccountBatcher } from './account-batcher.ts';
import {
  agreementOnAccounts,
  agreementOnGenesis,
  agreementOnHeights,
  agreementOnKnown,
  agreementOnPrices,
  agreementOnSimulations,
  agreementOnSlotTime,
  agreementOnTokenAccounts,
} from './agreement.ts';
import { BlockhashSource, type ReceivedBlockhash } from './blockhash-source.ts';
import type { ChainHistory } from './chain-history.ts';
import { type ChainObserver, silentObserver, type WorkTracer } from './chain-observer.ts';
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
import { ConsensusWatch } from './consensus.ts';
import { RecentPrices } from './recent-prices.ts';
import { RpcChainHistory } from './rpc-node-history.ts';
import { DeadlineWatch } from './shared-answer.ts';
import { SlotTime } from './slot-time.ts';
import { disagreement } from './upstream-faults.ts';
import { UpstreamPool, type UpstreamPoolOptions, type UpstreamStatus } from './upstream-pool.ts';

/** How to read the chain. */
export interface RpcChainReaderOptions {
  /** The preferred upstream first, at least one. */
  urls: readonly string[];
  /** How long one attempt may take. */
  timeoutMs: number;
  proxy?: UpstreamPoolOptions['proxy'];
  blockhashMaxAgeMs: number;
  /** How many slots an answer may be behind the newest one seen on any upstream. */
  maxSlotLag: number;
  /** How many upstreams must give the same answer, at most as many as there are; 1 by default. */
  quorum?: number;
  observer?: ChainObserver;
  /** Names the requests that share a call; absent while nothing is traced. */
  tracer?: WorkTracer | undefined;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// How long a node may look for token accounts.
const tokenAccountsTimeoutMs = 2_000;

/** Reads the chain over JSON-RPC; requests share its answers about accounts, its blockhash and its prices. */
export class RpcChainReader implements ChainReader {
  /** The past, as each upstream by itself tells it. */
  readonly history: ChainHistory;
  readonly #pool: UpstreamPool;
  readonly #accounts: AccountBatcher;
  readonly #blockhashes: BlockhashSource;
  readonly #prices: RecentPrices;
  readonly #slotTime: SlotTime;
  readonly #consensus: ConsensusWatch;
  readonly #now: () => number;

  constructor(options: RpcChainReaderOptions) {
    const { now, observer = silentObserver, blockhashMaxAgeMs: maxAgeMs } = options;
    const watch = new DeadlineWatch(now, options.tracer);
    const pool = new UpstreamPool({ quorum: 1, ...options, observer });
    this.#pool = pool;
    this.#now = now;
    this.history = new RpcChainHistory({ pool, watch, now });
    this.#accounts = new AccountBatcher({
      call: (addresses, deadline) =>
        pool.call(accountsRequest(addresses, pool.head), agreementOnAccounts(addresses, true), deadline),
      callWhole: (addresses, deadline) =>
        pool.call(accountsRequest(addresses, pool.head, true), agreementOnAccounts(addresses, false), deadline),
      watch,
      observer,
      now,
    });
    this.#blockhashes = new BlockhashSource({
      call: (deadline, check) => readAgreedBlockhash(pool, deadline, check),
      watch,
      maxAgeMs,
      now,
    });
    this.#prices = new RecentPrices({
      call: (addresses, deadline) => pool.call(pricesRequest(addresses), agreementOnPrices, deadline),
      watch,
      now,
    });
    this.#slotTime = new SlotTime({
      call: (deadline) => pool.call(slotTimeRequest, agreementOnSlotTime, deadline),
      now,
    });
    this.#consensus = new ConsensusWatch({ readAccounts: (...asked) => this.readAccounts(...asked), now });
  }

  /** Reads the genesis hash in base58, which identifies the cluster. */
  readGenesisHash(deadline: Deadline): Promise<string> {
    return this.#pool.call(genesisHashRequest, agreementOnGenesis, deadline);
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
    const request = blockhashKnownRequest(blockhash, this.#pool.head);
    return this.#pool.call(request, agreementOnKnown(this.#pool.size), deadline);
  }

  readRecentPrices(addresses: readonly Address[], deadline: Deadline): Promise<readonly bigint[]> {
    return this.#prices.read(addresses, deadline);
  }

  readTokenAccounts(wallet: Address, mint: Address, deadline: Deadline): Promise<ReadonlyMap<Address, Account>> {
    const until = Math.min(deadline, this.#now() + tokenAccountsTimeoutMs);
    const request = tokenAccountsRequest(wallet, mint, this.#pool.head);
    return this.#pool.call(request, agreementOnTokenAccounts, until);
  }

  /** Resolves with how many milliseconds a slot of the cluster takes; with `undefined` where no node says it within a second. */
  readSlotMs(): Promise<number | undefined> {
    return this.#slotTime.read();
  }

  /** What is known of the consensus of the cluster; sends nothing. */
  get consensus(): Consensus | undefined {
    return this.#consensus.known;
  }

  /** Resolves with the consensus of the cluster; with `undefined` where no node tells it within a second. */
  readConsensus(): Promise<Consensus | undefined> {
    return this.#consensus.read();
  }

  /** For how many milliseconds the newest slot has not moved while nodes answered; 0 while it moves. Sends nothing. */
  get standstillMs(): number {
    return this.#pool.head.standstill?.ms ?? 0;
  }

  async simulate(transaction: Uint8Array, deadline: Deadline): Promise<Simulation> {
    const request = simulationRequest(transaction, this.#pool.head);
    const { simulation } = await this.#pool.call(request, agreementOnSimulations, deadline);
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

/**
 * Reads the latest blockhash; where several upstreams must agree, one that enough of them know.
 *
 * An answer at which `check` throws does not count. Throws an `UpstreamFault`, also when too few upstreams know any of the
 * offered blockhashes.
 */
export async function readAgreedBlockhash(
  pool: UpstreamPool,
  deadline: Deadline,
  check: (blockhash: ReceivedBlockhash) => void,
): Promise<ReceivedBlockhash> {
  const { quorum, size } = pool;
  // The upstreams that offered a blockhash that others do not know.
  const distrusted = new Set<string>();
  while (distrusted.size <= size - quorum) {
    let picked = '';
    const agreement = agreementOnHeights(distrusted, (upstream) => {
      picked = upstream;
    });
    const received = await pool.call(blockhashRequest(pool.head, check), agreement, deadline);
    if (quorum === 1) return received;
    const request = blockhashKnownRequest(received.blockhash, pool.head);
    const { isValid } = await pool.call(request, agreementOnKnown(size), deadline);
    if (isValid) return received;
    distrusted.add(picked);
  }
  throw disagreement(quorum, size);
}
