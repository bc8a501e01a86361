import type { Operation } from '../operation.ts';

/** The amount limits of one mint, in base units from 1 to 2^64-1; at least one of the two is set. */
export interface AmountLimit {
  /** The bound of one transfer; `null` for none. */
  perTransfer: bigint | null;
  /** The bound of the sum of all amounts built in one UTC day; `null` for none. */
  perDay: bigint | null;
}

/** The limits of a key; `null` means no restriction. */
export interface KeyRestrictions {
  operations: ReadonlySet<Operation> | null;
  /** Base58 addresses of the mints it may move. */
  mints: ReadonlySet<string> | null;
  /** Base58 addresses of the wallets that may sign what it builds: senders, and fee payers other than the sender. */
  fromAddresses: ReadonlySet<string> | null;
  /** Base58 addresses of the wallets that it may pay. */
  toAddresses: ReadonlySet<string> | null;
  /** Amount limits by mint. A key with amount limits may not move any other mint. */
  amounts: ReadonlyMap<string, AmountLimit> | null;
  /** The most lamports, rent included, that sponsors may pay for what it builds in one UTC day; `null` for no limit. */
  sponsoredLamportsPerDay: bigint | null;
  /** Whether sponsors may pay the rent of token accounts. */
  sponsorsRent: boolean;
}

/** The accepted API key of a request. */
export interface AuthenticatedKey {
  /** Unique and stable; limits and usage are counted by it. Not a secret. */
  id: string;
  /** The id of the first key of its chain of rotations: one client keeps it when its key is replaced. */
  rootId: string;
  name: string;
  /** Requests per minute; 0 for no limit, `null` for the limit of the configuration. */
  rateLimitPerMinute: number | null;
  restrictions: KeyRestrictions;
}

/** No restrictions, but for the rent that a sponsor would pay. */
export const unrestricted: KeyRestrictions = Object.freeze({
  operations: null,
  mints: null,
  fromAddresses: null,
  toAddresses: null,
  amounts: null,
  sponsoredLamportsPerDay: null,
  sponsorsRent: false,
});

/**
 * The well-known key of the sandbox, the same everywhere, so that examples work when pasted.
 *
 * It is accepted by a sandbox only, and there only from the machine itself.
 */
export const sandboxApiKey = 'swk_SplwrightSandboxLoopbackOnly000000qSPrF';

/** The id of the sandbox key. The key is not stored, so its usage is not recorded. */
export const sandboxKeyId = 'sandbox';
