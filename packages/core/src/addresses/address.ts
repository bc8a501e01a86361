import { addressLength } from './address-bytes.ts';
import { decodeBase58 } from './base58.ts';
import { copyAddress, knownText } from './known-addresses.ts';
import { readText, wasm, wasmMemory, wasmOffsets } from './wasm.ts';

declare const addressBrand: unique symbol;

/** The base58 text of 32 bytes: a wallet, a mint, a token account or a program. Made only by checking. */
export type Address = string & { readonly [addressBrand]: true };

/**
 * Stands for SOL where a mint is named. It is the text of no address, so that no mint is called the same, and none of its functions
 * takes it: a wallet holds its SOL itself, and the System program moves it.
 */
export const sol = 'SOL' as Address;

/** Why a text is not an address. */
export type AddressFault =
  | { kind: 'empty' }
  | { kind: 'evm_address' }
  /** Letters alone, such as the symbol of a token. */
  | { kind: 'name'; text: string }
  /** Such as `name.sol`. */
  | { kind: 'domain_name'; text: string }
  /** The base58 text of 64 bytes. */
  | { kind: 'signature_or_secret_key' }
  | { kind: 'white_space'; index: number }
  | { kind: 'invalid_character'; character: string; index: number }
  | { kind: 'wrong_length'; byteLength: number }
  | { kind: 'too_long'; characterCount: number };

// 64 characters hold 46 bytes: enough to tell a caller by how much a mistaken address misses 32.
const maxTextLength = 64;

// A signature and a secret key have 64 bytes, whose text has at most 88 characters.
const doubleLength = 2 * addressLength;
const maxDoubleTextLength = 88;

/** Parses the base58 text of exactly 32 bytes, or says why it is not one. */
export function parseAddress(text: string): { address: Address } | { fault: AddressFault } {
  const known = knownText(text);
  return known === undefined ? { fault: faultOf(text) } : { address: known as Address };
}

/** Returns the text as an address. Throws a `TypeError` when it is not one: for constants and trusted sources. */
export function toAddress(text: string): Address {
  const parsed = parseAddress(text);
  if ('fault' in parsed) throw new TypeError(`not a Solana address (${parsed.fault.kind}): ${JSON.stringify(text)}`);
  return parsed.address;
}

/** The 32 bytes of an address. */
export function addressToBytes(address: Address): Uint8Array {
  const bytes = new Uint8Array(addressLength);
  copyAddress(address, new DataView(bytes.buffer), 0);
  return bytes;
}

/** The address of 32 bytes. Throws a `RangeError` for any other length. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== 32) throw new RangeError(`an address has 32 bytes, not ${bytes.length}`);
  wasmMemory.set(bytes, wasmOffsets.output);
  return readAddressText(wasm.encodeAddress());
}

/** Reads the address whose text of `length` characters the compiled code has just written. */
export function readAddressText(length: number): Address {
  return readText(length) as Address;
}

function faultOf(text: string): AddressFault {
  if (text === '') return { kind: 'empty' };
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { kind: 'evm_address' };
  if (/^\$?[A-Za-z]{2,12}$/.test(text)) return { kind: 'name', text };
  const whiteSpaceAt = text.search(/\s/);
  if (whiteSpaceAt !== -1) return { kind: 'white_space', index: whiteSpaceAt };
  if (text.length <= maxTextLength && /^[\w.-]+\.[a-z]{2,12}$/i.test(text)) return { kind: 'domain_name', text };
  if (isDouble(text)) return { kind: 'signature_or_secret_key' };
  if (text.length > maxTextLength) return { kind: 'too_long', characterCount: text.length };
  const decoded = decodeBase58(text);
  if ('bytes' in decoded) return { kind: 'wrong_length', byteLength: decoded.bytes.length };
  const character = String.fromCodePoint(text.codePointAt(decoded.invalidAt) ?? 0);
  return { kind: 'invalid_character', character, index: decoded.invalidAt };
}

function isDouble(text: string): boolean {
  if (text.length < doubleLength || text.length > maxDoubleTextLength) return false;
  const decoded = decodeBase58(text);
  return 'bytes' in decoded && decoded.bytes.length === doubleLength;
}
