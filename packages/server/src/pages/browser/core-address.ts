import type { Address } from 'splwright-core';
import { encodeBase58 } from 'splwright-core/base58';

// Served in the place of the core's `addresses/address.ts`, which is compiled code: the policy of the pages would need an exception.

export function addressFromBytes(bytes: Uint8Array): Address {
  return toAddress(encodeBase58(bytes));
}

/** A text as an address, unchecked: the constants of the core are ones. */
export function toAddress(text: string): Address {
  return text as Address;
}
