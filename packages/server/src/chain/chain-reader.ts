import type { Account, Address, BlockhashLifetime } from 'splwright-core';

/** The latest moment for an answer, in milliseconds of the monotonic clock (`performance.now`). */
export type Deadline = number;

/**
 * Accounts as of one slot, in the order they were asked for; `null` for an account that does not exist.
 *
 * Requests share the same objects: neither the accounts nor their bytes may be changed.
 */
export interface AccountsAtSlot {
  slot: bigint;
  accounts: readonly (Account | null)[];
}

/** A blockhash and when it was requested: it is no older than that. */
export interface FreshBlockhash extends BlockhashLifetime {
  slot: bigint;
  /** Milliseconds of the monotonic clock (`performance.now`). */
  askedAt: number;
}

/** Whether transactions with a blockhash are accepted, as of a slot. */
export interface BlockhashAtSlot {
  slot: bigint;
  isValid: boolean;
}

/** The result of a simulation. */
export interface Simulation {
  /** The node's own JSON of the error; `null` when it succeeded. */
  error: unknown;
  logs: readonly string[];
  unitsConsumed: number;
}

/**
 * Reads what the service needs of the chain, at commitment `confirmed`.
 *
 * Each method throws an `AppError` when the chain cannot be read: `upstream_unavailable`, `upstream_timeout` or
 * `upstream_error`. A fault of the upstream is never turned into a fact.
 */
export interface ChainReader {
  /** Reads up to 100 accounts, all as of one slot, or of it and the next ones where a node takes fewer in one call. */
  readAccounts(addresses: readonly Address[], deadline: Deadline): Promise<AccountsAtSlot>;
  /**
   * Returns the newest blockhash, no older than the configured age: at once when there is one.
   *
   * Its last valid block height is never below that of one returned before, unless upstreams contradict one another.
   */
  readBlockhash(deadline: Deadline): FreshBlockhash | Promise<FreshBlockhash>;
  /** Returns whether the newest confirmed block accepts transactions with a blockhash, and its slot. */
  isBlockhashValid(blockhash: string, deadline: Deadline): Promise<BlockhashAtSlot>;
  /** Returns what others recently paid for transactions that write these accounts, in micro-lamports per compute unit, by slot. */
  readRecentPrices(addresses: readonly Address[], deadline: Deadline): Promise<readonly bigint[]>;
  /**
   * Returns the token accounts of a mint that a wallet is said to own, with at most their first 165 bytes; none where the node
   * does not look accounts up by owner. Takes 2 s at most: what it answers explains a refusal, which must not wait for it.
   */
  readTokenAccounts(wallet: Address, mint: Address, deadline: Deadline): Promise<ReadonlyMap<Address, Account>>;
  /** Simulates a transaction, without checking signatures and with a blockhash that the node chooses. */
  simulate(transaction: Uint8Array, deadline: Deadline): Promise<Simulation>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** How a cluster agrees on its blocks: by votes on chain, final after many blocks, or by certificates, final at once. */
export type Consensus = 'tower_bft' | 'alpenglow';

/** The health of one upstream, as the upstream itself was asked for it. */
export interface UpstreamHealth {
  /** `upstream_1`, `upstream_2` and so on: never its URL. */
  name: string;
  /** Why it cannot serve requests, as the end of a sentence about it; `undefined` when it can. */
  reason: string | undefined;
  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  slotLag: bigint | undefined;
}
