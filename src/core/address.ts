import { decodeBase58, encodeBase58 } from './base58.ts';

declare const addressBrand: unique symbol;

/** The base58 text of 32 bytes: a wallet, a mint, a token account or a program. Made only by checking. */
export type Address = string & { readonly [addressBrand]: true };

/** Why a text is not an address. */
export type AddressFault =
  | { kind: 'empty' }
  | { kind: 'evm_address' }
  | { kind: 'white_space'; index: number }
  | { kind: 'invalid_character'; character: string; index: number }
  | { kind: 'wrong_length'; byteLength: number }
  | { kind: 'too_long'; characterCount: number };

// 64 characters hold 46 bytes: enough to tell a caller by how much a mistaken address misses 32.
const longestTextDecoded = 64;

/** Parses the base58 text of exactly 32 bytes, or says why it is not one. */
export function parseAddress(text: string): { address: Address } | { fault: AddressFault } {
  if (text === '') return { fault: { kind: 'empty' } };
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { fault: { kind: 'evm_address' } };
  const whiteSpaceAt = text.search(/\s/);
  if (whiteSpaceAt !== -1) return { fault: { kind: 'white_space', index: whiteSpaceAt } };
  if (text.length > longestTextDecoded) return { fault: { kind: 'too_long', characterCount: text.length } };
  const decoded = decodeBase58(text);
  if ('invalidAt' in decoded) {
    const character = String.fromCodePoint(text.codePointAt(decoded.invalidAt) ?? 0);
    return { fault: { kind: 'invalid_character', character, index: decoded.invalidAt } };
  }
  if (decoded.bytes.length !== 32) return { fault: { kind: 'wrong_length', byteLength: decoded.bytes.length } };
  return { address: text as Address };
}

/** Returns the text as an address. Throws a `TypeError` when it is not one: for constants and trusted sources. */
export function toAddress(text: string): Address {
  const parsed = parseAddress(text);
  if ('fault' in parsed) throw new TypeError(`not a Solana address (${parsed.fault.kind}): ${JSON.stringify(text)}`);
  return parsed.address;
}

/** The 32 bytes of an address. */
export function addressToBytes(address: Address): Uint8Array {
  const decoded = decodeBase58(address);
  if ('invalidAt' in decoded) throw new TypeError(`not a Solana address: ${JSON.stringify(address)}`);
  return decoded.bytes;
}

/** The address of 32 bytes. Throws a `RangeError` for any other length. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== 32) throw new RangeError(`an address has 32 bytes, not ${bytes.length}`);
  return encodeBase58(bytes) as Address;
}
