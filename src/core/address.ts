import { decodeBase58 } from './base58.ts';
import { wasm, wasmMemory, wasmOffsets } from './wasm.ts';

declare const addressBrand: unique symbol;

/** The base58 text of 32 bytes: a wallet, a mint, a token account or a program. Made only by checking. */
export type Address = string & { readonly [addressBrand]: true };

/** An address seen lately and what was worked out about it, so that it is worked out once. */
export interface KnownAddress {
  readonly address: Address;
  /** The 32 bytes, shared by everybody who asks: never to be written to. */
  readonly bytes: Uint8Array;
  isOnCurve: boolean | undefined;
  /** Token accounts of this wallet, the newest first. */
  tokenAccounts: readonly KnownTokenAccount[];
}

/** A token account that was derived for an owner. */
interface KnownTokenAccount {
  readonly mint: Address;
  readonly tokenProgram: Address;
  readonly found: { readonly address: Address; readonly bump: number };
}

// Of some 400 bytes each. When there are more, all are forgotten and worked out again as they come: to keep the newest would cost
// each request more than that does once in hundreds of them.
const mostKnown = 4096;

const knownAddresses = new Map<string, KnownAddress>();

const none: readonly KnownTokenAccount[] = [];

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

const shortestAddress = 32;
const longestAddress = 44;

/** Parses the base58 text of exactly 32 bytes, or says why it is not one. */
export function parseAddress(text: string): { address: Address } | { fault: AddressFault } {
  const known = recognize(text);
  return known ? { address: known.address } : { fault: faultOf(text) };
}

/** Returns the text as an address. Throws a `TypeError` when it is not one: for constants and trusted sources. */
export function toAddress(text: string): Address {
  const parsed = parseAddress(text);
  if ('fault' in parsed) throw new TypeError(`not a Solana address (${parsed.fault.kind}): ${JSON.stringify(text)}`);
  return parsed.address;
}

/** The 32 bytes of an address, which are the caller's own. */
export function addressToBytes(address: Address): Uint8Array {
  return bytesOf(address).slice();
}

/** The address of 32 bytes. Throws a `RangeError` for any other length. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== 32) throw new RangeError(`an address has 32 bytes, not ${bytes.length}`);
  wasmMemory.set(bytes, wasmOffsets.output);
  return readAddressText(wasm.encodeAddress());
}

/** The 32 bytes of an address, shared by everybody who asks: never to be written to. */
export function bytesOf(address: Address): Uint8Array {
  return know(address).bytes;
}

/** What is known of an address. */
export function know(address: Address): KnownAddress {
  const known = recognize(address);
  if (!known) throw new TypeError(`not a Solana address: ${JSON.stringify(address)}`);
  return known;
}

/** Remembers the address whose 32 bytes and text the compiled code has just written. */
export function rememberFound(textLength: number): Address {
  const address = readAddressText(textLength);
  remember(address);
  return address;
}

function recognize(text: string): KnownAddress | undefined {
  const known = knownAddresses.get(text);
  if (known) return known;
  const { length } = text;
  if (length < shortestAddress || length > longestAddress) return undefined;
  let allCodes = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    wasmMemory[wasmOffsets.text + index] = code;
    allCodes |= code;
  }
  // The memory holds bytes: a character past them would be taken for another.
  if (allCodes > 0xff || wasm.decodeAddress(length) === 0) return undefined;
  return remember(text as Address);
}

function remember(address: Address): KnownAddress {
  const bytes = wasmMemory.slice(wasmOffsets.output, wasmOffsets.output + 32);
  const known: KnownAddress = { address, bytes, isOnCurve: undefined, tokenAccounts: none };
  if (knownAddresses.size >= mostKnown) knownAddresses.clear();
  knownAddresses.set(address, known);
  return known;
}

const codes: number[] = [];

function readAddressText(length: number): Address {
  codes.length = length;
  for (let index = 0; index < length; index++) codes[index] = wasmMemory[wasmOffsets.text + index] ?? 0;
  return String.fromCharCode(...codes) as Address;
}

function faultOf(text: string): AddressFault {
  if (text === '') return { kind: 'empty' };
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { kind: 'evm_address' };
  const whiteSpaceAt = text.search(/\s/);
  if (whiteSpaceAt !== -1) return { kind: 'white_space', index: whiteSpaceAt };
  if (text.length > longestTextDecoded) return { kind: 'too_long', characterCount: text.length };
  const decoded = decodeBase58(text);
  if ('bytes' in decoded) return { kind: 'wrong_length', byteLength: decoded.bytes.length };
  const character = String.fromCodePoint(text.codePointAt(decoded.invalidAt) ?? 0);
  return { kind: 'invalid_character', character, index: decoded.invalidAt };
}
