import { addressLength, areSameBytes, copyBytes } from './address-bytes.ts';
import { wasm, wasmOffsets, wasmView, writeText } from './wasm.ts';

const maxKnown = 4096;

// The rows of an address are the eight of one set, which some of its characters choose. Where all eight are taken, the one that
// was written first goes: nothing has to be kept in order, and nothing is an object of its own, that would have to be collected.
// No row leaves this file, since the next address may be given the same one.
const rowsPerSet = 8;
const bitsOfSet = 9;

const texts = new Array<string>(maxKnown).fill('');
// Nearly all other texts differ in the tag, so that they need not be compared. No text has the tag of an empty row.
const noTag = -1;
const tags = new Int32Array(maxKnown).fill(noTag);
const oldestOfSet = new Uint8Array(maxKnown / rowsPerSet);
const bytes = new Uint8Array(maxKnown * addressLength);
const view = new DataView(bytes.buffer);
const curveAnswers = new Array<boolean | undefined>(maxKnown);

// Of each row two token accounts that were derived from its address, the newer one first, each with the rest of its seeds. An owner
// that deals in more mints than these at once has its token accounts derived again.
const perOwner = 2;
const mints = new Array<string>(maxKnown * perOwner).fill('');
const tokenPrograms = new Array<string>(maxKnown * perOwner).fill('');
const tokenAccounts = new Array<string>(maxKnown * perOwner).fill('');
const bumps = new Uint8Array(maxKnown * perOwner);

/**
 * Returns the text if it is the base58 of 32 bytes, otherwise undefined, and remembers the bytes.
 *
 * A text that is known is returned as the string that was remembered: to compare that with itself takes no look at its characters.
 */
export function knownText(text: string): string | undefined {
  const tag = tagOf(text);
  const row = findRow(text, tag);
  if (row !== -1) return texts[row];
  if (!isDecoded(text)) return undefined;
  add(text, tag);
  return text;
}

/** Remembers an address whose bytes the compiled code has just written. */
export function remember(text: string): void {
  const tag = tagOf(text);
  if (findRow(text, tag) === -1) add(text, tag);
}

/** Copies the bytes of an address to where they are needed. Throws a `TypeError` for a text that is no address. */
export function copyAddress(address: string, target: DataView, offset: number): void {
  copyBytes(view, rowOf(address) * addressLength, target, offset);
}

/** Returns whether the bytes at `offset` are those of an address. Throws a `TypeError` for a text that is no address. */
export function isAddressAt(other: DataView, offset: number, address: string): boolean {
  return areSameBytes(view, rowOf(address) * addressLength, other, offset);
}

/** Does what `isAddressAt` does of bytes without a view: to make one would take longer than it saves. */
export function isAddressInData(other: Uint8Array, offset: number, address: string): boolean {
  const start = rowOf(address) * addressLength;
  for (let index = 0; index < addressLength; index++) if (other[offset + index] !== bytes[start + index]) return false;
  return true;
}

/** Returns whether an address is on the curve, tested once. Throws a `TypeError` for a text that is no address. */
export function isAddressOnCurve(address: string): boolean {
  const row = rowOf(address);
  const known = curveAnswers[row];
  if (known !== undefined) return known;
  copyBytes(view, row * addressLength, wasmView, wasmOffsets.input);
  const answer = wasm.isOnCurve() === 1;
  curveAnswers[row] = answer;
  return answer;
}

// No zeros ever stand in for a text that is no address. A row is valid only until the next address is looked up.
function rowOf(address: string): number {
  const tag = tagOf(address);
  const row = findRow(address, tag);
  if (row !== -1) return row;
  if (!isDecoded(address)) throw new TypeError(`not a Solana address: ${JSON.stringify(address)}`);
  return add(address, tag);
}

// From the length and three characters past the beginning and before the end: prefixes and suffixes are often chosen, and the
// addresses of sysvars and programs end in ones.
function tagOf(text: string): number {
  let tag = Math.imul(text.length, 61) + text.charCodeAt(8);
  tag = Math.imul(tag, 61) + text.charCodeAt(15);
  tag = Math.imul(tag, 61) + text.charCodeAt(27);
  return tag & 0x7fff_ffff;
}

// 2^32 divided by the golden ratio (Knuth, "The Art of Computer Programming", volume 3, section 6.4).
const multiplier = 0x9e37_79b1;

function firstRowOf(tag: number): number {
  return (Math.imul(tag, multiplier) >>> (32 - bitsOfSet)) * rowsPerSet;
}

function findRow(text: string, tag: number): number {
  const first = firstRowOf(tag);
  for (let row = first; row < first + rowsPerSet; row++) {
    if (tags[row] === tag && texts[row] === text) return row;
  }
  return -1;
}

function isDecoded(text: string): boolean {
  return writeText(text) && wasm.decodeAddress(text.length) === 1;
}

function add(text: string, tag: number): number {
  const first = firstRowOf(tag);
  const set = first / rowsPerSet;
  const oldest = oldestOfSet[set] ?? 0;
  oldestOfSet[set] = (oldest + 1) % rowsPerSet;
  const row = first + oldest;
  texts[row] = text;
  tags[row] = tag;
  copyBytes(wasmView, wasmOffsets.output, view, row * addressLength);
  curveAnswers[row] = undefined;
  mints[row * perOwner] = '';
  mints[row * perOwner + 1] = '';
  return row;
}

type TokenAccountSeeds = Readonly<Record<'owner' | 'tokenProgram' | 'mint', string>>;
type DerivedTokenAccount = Readonly<{ address: string; bump: number }>;

/** Returns the token account that was remembered for exactly these seeds, otherwise undefined. */
export function knownTokenAccount({ owner, mint, tokenProgram }: TokenAccountSeeds): DerivedTokenAccount | undefined {
  const newer = rowOf(owner) * perOwner;
  for (let at = newer; at < newer + perOwner; at++) {
    if (mints[at] !== mint || tokenPrograms[at] !== tokenProgram) continue;
    return { address: tokenAccounts[at] ?? '', bump: bumps[at] ?? 0 };
  }
  return undefined;
}

/** Remembers what was derived from these seeds, instead of the older of the owner's two. */
export function rememberTokenAccount(seeds: TokenAccountSeeds, found: DerivedTokenAccount): void {
  const newer = rowOf(seeds.owner) * perOwner;
  insert(mints, newer, seeds.mint);
  insert(tokenPrograms, newer, seeds.tokenProgram);
  insert(tokenAccounts, newer, found.address);
  bumps[newer + 1] = bumps[newer] ?? 0;
  bumps[newer] = found.bump;
}

function insert(column: string[], newer: number, value: string): void {
  column[newer + 1] = column[newer] ?? '';
  column[newer] = value;
}
