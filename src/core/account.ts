import type { Address } from './address.ts';

/** An account as the chain holds it. Absent accounts are `null` wherever accounts come in. */
export interface Account {
  owner: Address;
  lamports: bigint;
  data: Uint8Array;
  executable: boolean;
}
