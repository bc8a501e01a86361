import type { Address } from '../core/address.ts';
import { AccountBatcher } from './account-batcher.ts';
import { BlockhashSource } from './blockhash-source.ts';
import { type ChainObserver, silentObserver } from './chain-observer.ts';
import type { AccountsAtSlot, ChainReader, Deadline, FreshBlockhash, Simulation } from './chain-reader.ts';
import { accountsRequest, blockhashRequest, pricesRequest, simulationRequest } from './chain-requests.ts';
import { RecentPrices } from './recent-prices.ts';
import { DeadlineWatch } from './shared-answer.ts';
import { type UpstreamHealth, UpstreamPool, type UpstreamStatus } from './upstream-pool.ts';

/** How to read the chain. */
export interface RpcChainReaderOptions {
  /** The preferred upstream first, at least one. */
  urls: readonly string[];
  /** The longest that one attempt may take, in milliseconds. */
  timeoutMilliseconds: number;
  blockhashMaxAgeMilliseconds: number;
  /** How many slots an answer may be behind the newest one seen on any upstream. */
  maximumSlotLag: number;
  observer?: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

const healthHoldMilliseconds = 250;

/** Reads the chain over JSON-RPC; requests share its answers about accounts, its blockhash and its prices. */
export class RpcChainReader implements ChainReader {
  readonly #pool: UpstreamPool;
  readonly #accounts: AccountBatcher;
  readonly #blockhashes: BlockhashSource;
  readonly #prices: RecentPrices;
  readonly #now: () => number;
  #health: Promise<readonly UpstreamHealth[]> | undefined;
  #healthHoldsUntil = 0;

  constructor(options: RpcChainReaderOptions) {
    const { now, observer = silentObserver, blockhashMaxAgeMilliseconds: maximumAgeMilliseconds } = options;
    const watch = new DeadlineWatch(now);
    const pool = new UpstreamPool({ ...options, observer });
    this.#pool = pool;
    this.#now = now;
    this.#accounts = new AccountBatcher({
      call: (addresses, deadline) => pool.call(accountsRequest(addresses, pool.head), deadline),
      callWhole: (addresses, deadline) => pool.call(accountsRequest(addresses, pool.head, true), deadline),
      watch,
      observer,
      now,
    });
    this.#blockhashes = new BlockhashSource({
      call: (deadline, check) => pool.call(blockhashRequest(pool.head, check), deadline),
      watch,
      maximumAgeMilliseconds,
      now,
    });
    this.#prices = new RecentPrices({
      call: (addresses, deadline) => pool.call(pricesRequest(addresses), deadline),
      watch,
      now,
    });
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

  readRecentPrices(addresses: readonly Address[], deadline: Deadline): Promise<readonly bigint[]> {
    return this.#prices.read(addresses, deadline);
  }

  async simulate(transaction: Uint8Array, deadline: Deadline): Promise<Simulation> {
    const request = simulationRequest(transaction, this.#pool.head);
    const { simulation } = await this.#pool.call(request, deadline);
    return simulation;
  }

  /** How the upstreams are held, without asking them. */
  get upstreams(): readonly UpstreamStatus[] {
    return this.#pool.statuses;
  }

  /** Asks all upstreams how they are now, at most four times a second: anybody may want to know. */
  checkHealth(deadline: Deadline): Promise<readonly UpstreamHealth[]> {
    if (this.#health && this.#now() < this.#healthHoldsUntil) return this.#health;
    this.#healthHoldsUntil = Number.POSITIVE_INFINITY;
    this.#health = this.#pool.checkHealth(deadline).finally(() => {
      this.#healthHoldsUntil = this.#now() + healthHoldMilliseconds;
    });
    return this.#health;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
