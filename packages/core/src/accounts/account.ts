import type { Address } from '../addresses/address.ts';

/** An account as the chain holds it. Absent accounts are `null` wherever accounts come in. */
export interface Account {
  owner: Address;
  lamports: bigint;
  data: Uint8Array;
  /** Bytes that the account holds on chain, where `data` is only their beginning. */
  space?: number;
  executable: boolean;
}

/** Accounts read so far, by their addresses: `null` where the chain has none, no entry where it was not asked. */
export type ReadAccounts = ReadonlyMap<Address, Account | null>;
