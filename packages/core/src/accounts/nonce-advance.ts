import type { Address } from '../addresses/address.ts';

/** The nonce account of a plan and who may advance it. */
export interface NonceAdvance {
  account: Address;
  authority: Address;
  /** Base58 of 32 bytes: what stands where a blockhash would. */
  nonce: string;
}
