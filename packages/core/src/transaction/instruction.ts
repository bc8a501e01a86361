import type { Address } from '../addresses/address.ts';

/** An account as an instruction uses it. */
export interface AccountMeta {
  address: Address;
  signer: boolean;
  writable: boolean;
}

/** One instruction: a program, the accounts it is handed, and its data. */
export interface Instruction {
  program: Address;
  accounts: readonly AccountMeta[];
  data: Uint8Array;
}

/** The shorthand of account roles: `writable signer`, `readonly signer`, `writable`, `readonly`. */
export const role = {
  writableSigner: (address: Address): AccountMeta => ({ address, signer: true, writable: true }),
  readonlySigner: (address: Address): AccountMeta => ({ address, signer: true, writable: false }),
  writable: (address: Address): AccountMeta => ({ address, signer: false, writable: true }),
  readonly: (address: Address): AccountMeta => ({ address, signer: false, writable: false }),
};
