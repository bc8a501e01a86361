import { encodeBase58 } from 'splwright-core';

/** @import { Address } from 'splwright-core' */

// What modules of the core take from its `addresses/address.ts`, in pages. There it is compiled code, for which the policy of the page
// would need an exception; a page reads a few dozen addresses.

/**
 * The address of 32 bytes.
 * @param {Uint8Array} bytes
 */
export function addressFromBytes(bytes) {
  return toAddress(encodeBase58(bytes));
}

/**
 * A text as an address, unchecked: the constants of the core are ones.
 * @param {string} text
 */
export function toAddress(text) {
  return /** @type {Address} */ (text);
}
