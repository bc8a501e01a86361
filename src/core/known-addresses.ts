import { wasm, wasmMemory, wasmOffsets } from './wasm.ts';

/** Bytes of an address. */
export const addressLength = 32;

// When there are more, all are forgotten and worked out again as they come: to keep the newest would cost each request more
// than that does once in hundreds of them.
const mostKnown = 4096;

const shortestText = 32;
const longestText = 44;

// A place is a number of this table: nothing here is an object of its own, that would have to be collected.
const places = new Map<string, number>();
const bytes = new Uint8Array(mostKnown * addressLength);
const curveAnswers = new Uint8Array(mostKnown);

const unknown = 0;
const onCurve = 1;
const offCurve = 2;

/** The place of a text that has been found to be an address. Throws a `TypeError` for any other: no zeros ever stand in for it. */
export function placeOf(address: string): number {
  const place = findPlace(address);
  if (place === -1) throw new TypeError(`not a Solana address: ${JSON.stringify(address)}`);
  return place;
}

/**
 * The place at which the bytes of an address are known, or -1 where the text is no address.
 *
 * It counts until the next call: that may forget all places.
 */
export function findPlace(text: string): number {
  const known = places.get(text);
  if (known !== undefined) return known;
  const { length } = text;
  if (length < shortestText || length > longestText) return -1;
  let allCodes = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    wasmMemory[wasmOffsets.text + index] = code;
    allCodes |= code;
  }
  // The memory holds bytes: a character past them would be taken for another.
  if (allCodes > 0xff || wasm.decodeAddress(length) === 0) return -1;
  return add(text);
}

/** Remembers an address whose bytes the compiled code has just written, and returns its place. */
export function remember(text: string): number {
  return places.get(text) ?? add(text);
}

function add(text: string): number {
  if (places.size >= mostKnown) places.clear();
  const place = places.size;
  places.set(text, place);
  const start = place * addressLength;
  for (let index = 0; index < addressLength; index++)
    bytes[start + index] = wasmMemory[wasmOffsets.output + index] ?? 0;
  curveAnswers[place] = unknown;
  forgetTokenAccounts(place);
  return place;
}

/** Copies the bytes at a place to where they are needed. */
export function copyBytesAt(place: number, target: Uint8Array, offset: number): void {
  const start = place * addressLength;
  for (let index = 0; index < addressLength; index++) target[offset + index] = bytes[start + index] ?? 0;
}

/** Whether the bytes at a place are those at `offset`. */
export function hasBytesAt(place: number, other: Uint8Array, offset: number): boolean {
  const start = place * addressLength;
  for (let index = 0; index < addressLength; index++) if (other[offset + index] !== bytes[start + index]) return false;
  return true;
}

/** Whether the address at a place is on the curve, tested once. */
export function isPlaceOnCurve(place: number): boolean {
  if (curveAnswers[place] === unknown) {
    copyBytesAt(place, wasmMemory, wasmOffsets.input);
    curveAnswers[place] = wasm.isOnCurve() === 1 ? onCurve : offCurve;
  }
  return curveAnswers[place] === onCurve;
}

// A wallet that deals in more mints than these at once has its token accounts derived again.
const perOwner = 2;

const mints: string[] = Array.from({ length: mostKnown * perOwner }, () => '');
const tokenPrograms: string[] = mints.slice();
const tokenAccounts: string[] = mints.slice();
const bumps = new Uint8Array(mostKnown * perOwner);

/** Where the token account of the owner at a place is known, for `tokenAccountAt` and `bumpAt`; -1 where it is not. */
export function tokenAccountIndexOf(place: number, mint: string, tokenProgram: string): number {
  for (let index = place * perOwner; index < (place + 1) * perOwner; index++) {
    if (mints[index] === mint && tokenPrograms[index] === tokenProgram) return index;
  }
  return -1;
}

/** The token account at an index. */
export function tokenAccountAt(index: number): string {
  return tokenAccounts[index] ?? '';
}

/** The bump of the token account at an index. */
export function bumpAt(index: number): number {
  return bumps[index] ?? 0;
}

/** Remembers a token account of the owner at a place, in place of the older of two others. */
export function rememberTokenAccount(
  place: number,
  mint: string,
  tokenProgram: string,
  found: { address: string; bump: number },
): void {
  const index = place * perOwner;
  move(index, index + 1);
  mints[index] = mint;
  tokenPrograms[index] = tokenProgram;
  tokenAccounts[index] = found.address;
  bumps[index] = found.bump;
}

function move(from: number, to: number): void {
  mints[to] = mints[from] ?? '';
  tokenPrograms[to] = tokenPrograms[from] ?? '';
  tokenAccounts[to] = tokenAccounts[from] ?? '';
  bumps[to] = bumps[from] ?? 0;
}

function forgetTokenAccounts(place: number): void {
  for (let index = place * perOwner; index < (place + 1) * perOwner; index++) mints[index] = '';
}
