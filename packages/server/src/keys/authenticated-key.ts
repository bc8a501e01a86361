import type { Operation } from '../operation.ts';

/** How much of one mint a key may build transfers of, in base units from 1 to 2^64-1; at least one of the two is set. */
export interface AmountLimit {
  /** The largest amount of one transfer; `null` for any. */
  perTransfer: bigint | null;
  /** The most that the amounts built in one UTC day may add up to; `null` for any. */
  perDay: bigint | null;
}

/** What a key is limited to; `null` where it is not limited at all. */
export interface KeyRestrictions {
  operations: ReadonlySet<Operation> | null;
  /** Base58 addresses of the mints it may move. */
  mints: ReadonlySet<string> | null;
  /** Base58 addresses of the wallets that may sign what it builds: senders, and fee payers other than the sender. */
  fromAddresses: ReadonlySet<string> | null;
  /** Base58 addresses of the wallets that it may pay. */
  toAddresses: ReadonlySet<string> | null;
  /** How much it may move, by mint. A key with such limits moves none of a mint that has none. */
  amounts: ReadonlyMap<string, AmountLimit> | null;
}

/** What the service knows of the key that a request came with, once it is accepted. */
export interface AuthenticatedKey {
  /** Unique and stable: what limits and usage are counted by. Not a secret. */
  id: string;
  name: string;
  /** Requests per minute; 0 for no limit, `null` for what the configuration says. */
  rateLimitPerMinute: number | null;
  restrictions: KeyRestrictions;
}

/** The restrictions of a key that has none. */
export const unrestricted: KeyRestrictions = Object.freeze({
  operations: null,
  mints: null,
  fromAddresses: null,
  toAddresses: null,
  amounts: null,
});
