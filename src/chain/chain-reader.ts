import type { Account } from '../core/account.ts';
import type { Address } from '../core/address.ts';
import type { BlockhashLifetime } from '../core/transfer-plan.ts';

/** When whoever asks must have an answer, in milliseconds of the monotonic clock (`performance.now`). */
export type Deadline = number;

/**
 * Accounts as of one slot, in the order they were asked for; `null` where a healthy node says that there is none.
 *
 * Other requests may hold the same accounts: nobody changes them, nor their bytes.
 */
export interface AccountsAtSlot {
  slot: bigint;
  accounts: readonly (Account | null)[];
}

/** A blockhash, and when it was asked for: it is no older than that. */
export interface FreshBlockhash extends BlockhashLifetime {
  slot: bigint;
  /** Milliseconds of the monotonic clock (`performance.now`). */
  askedAt: number;
}

/** What came of a simulation. */
export interface Simulation {
  /** The node's own JSON of the error; `null` when it succeeded. */
  error: unknown;
  logs: readonly string[];
  unitsConsumed: number;
}

/**
 * What the service may ask of the chain. Everything is read at commitment `confirmed`.
 *
 * Each method throws an `AppError` when the chain cannot be read: `upstream_unavailable`, `upstream_timeout` or
 * `upstream_error`. A fault of the upstream is never turned into a fact.
 */
export interface ChainReader {
  /** Reads up to 100 accounts, all as of one slot. */
  readAccounts(addresses: readonly Address[], deadline: Deadline): Promise<AccountsAtSlot>;
  /**
   * Returns the newest blockhash, no older than the configured age: at once when there is one.
   *
   * Its last valid block height is never below that of one returned before.
   */
  readBlockhash(deadline: Deadline): FreshBlockhash | Promise<FreshBlockhash>;
  /** What others paid lately for transactions that write these accounts, in micro-lamports per compute unit, by slot. */
  readRecentPrices(addresses: readonly Address[], deadline: Deadline): Promise<readonly bigint[]>;
  /** Runs a transaction without signatures and with a blockhash of the node's own, and keeps nothing of it. */
  simulate(transaction: Uint8Array, deadline: Deadline): Promise<Simulation>;
  /** Closes the connections. */
  close(): Promise<void>;
}
