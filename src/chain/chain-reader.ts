import type { Account } from '../core/account.ts';
import type { Address } from '../core/address.ts';
import type { BlockhashLifetime } from '../core/transfer-plan.ts';

/** Accounts as of one slot, in the order they were asked for; `null` where a healthy node says that there is none. */
export interface AccountsAtSlot {
  slot: bigint;
  accounts: readonly (Account | null)[];
}

/** A blockhash, and when it arrived. */
export interface FreshBlockhash extends BlockhashLifetime {
  slot: bigint;
  /** Milliseconds of the monotonic clock (`performance.now`). */
  receivedAt: number;
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
  /** Reads up to 100 accounts in one round trip. */
  readAccounts(addresses: readonly Address[], signal: AbortSignal): Promise<AccountsAtSlot>;
  /** Returns a blockhash no older than the configured age when it is returned. */
  readBlockhash(signal: AbortSignal): Promise<FreshBlockhash>;
  /** Says whether a blockhash is young enough to be handed out now. */
  isFresh(blockhash: FreshBlockhash): boolean;
  /** What others paid lately for transactions that write these accounts, in micro-lamports per compute unit, by slot. */
  readRecentPrices(addresses: readonly Address[], signal: AbortSignal): Promise<readonly bigint[]>;
  /** Runs a transaction without signatures and with a blockhash of the node's own, and keeps nothing of it. */
  simulate(transaction: Uint8Array, signal: AbortSignal): Promise<Simulation>;
  /** Resolves when the upstream answers and calls itself healthy. */
  checkHealth(signal: AbortSignal): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}
