import type { Operation } from '../core/transfer-plan.ts';

/** The operations that a key can be limited to, each by the name that it has in the OpenAPI document. */
export const operations = ['memo_transfer', 'yid_transfer', 'create_transfer'] as const satisfies readonly Operation[];

/** Narrows a text to an operation. */
export function isOperation(text: string): text is Operation {
  return operations.some((operation) => operation === text);
}

/** What a key is limited to; `null` where it is not limited at all. */
export interface KeyRestrictions {
  readonly operations: ReadonlySet<Operation> | null;
  /** Base58 addresses of the mints it may move. */
  readonly mints: ReadonlySet<string> | null;
  /** Base58 addresses of the wallets that may sign what it builds: senders, and fee payers other than the sender. */
  readonly fromAddresses: ReadonlySet<string> | null;
}

/** What the service knows of the key that a request came with, once it is accepted. */
export interface AuthenticatedKey {
  /** Unique and stable: what limits and usage are counted by. Not a secret. */
  readonly id: string;
  readonly name: string;
  /** Requests per minute; 0 for no limit, `null` for what the configuration says. */
  readonly rateLimitPerMinute: number | null;
  readonly restrictions: KeyRestrictions;
}

/** The restrictions of a key that has none. */
export const unrestricted: KeyRestrictions = Object.freeze({ operations: null, mints: null, fromAddresses: null });
