import { wasm, wasmMemory, wasmOffsets } from './wasm.ts';

/** Bytes of an address. */
export const addressLength = 32;

// When there are more, all are forgotten and worked out again as they come: to keep the newest would cost each request more
// than that does once in hundreds of them.
const maxKnown = 4096;

const minTextLength = 32;
const maxTextLength = 44;

// A row is a number of this table: nothing here is an object of its own, that would have to be collected. No row leaves this
// file, since the next address may clear the table and be given the same one.
const rows = new Map<string, number>();
const texts: string[] = Array.from({ length: maxKnown }, () => '');
const bytes = new Uint8Array(maxKnown * addressLength);
const curveAnswers = new Uint8Array(maxKnown);

const unknown = 0;
const onCurve = 1;
const offCurve = 2;

/**
 * Returns the text if it is the base58 of 32 bytes, otherwise undefined, and remembers the bytes.
 *
 * A text that is known is returned as the string that was remembered: to compare that with itself takes no look at its characters.
 */
export function knownText(text: string): string | undefined {
  const row = rows.get(text);
  if (row !== undefined) return texts[row];
  if (!isDecoded(text)) return undefined;
  add(text);
  return text;
}

/** Remembers an address whose bytes the compiled code has just written. */
export function remember(text: string): void {
  if (!rows.has(text)) add(text);
}

/** Copies the bytes of an address to where they are needed. Throws a `TypeError` for a text that is no address. */
export function copyAddress(address: string, target: Uint8Array, offset: number): void {
  const start = rowOf(address) * addressLength;
  for (let index = 0; index < addressLength; index++) target[offset + index] = bytes[start + index] ?? 0;
}

/** Says whether the bytes at `offset` are those of an address. Throws a `TypeError` for a text that is no address. */
export function isAddressAt(other: Uint8Array, offset: number, address: string): boolean {
  const start = rowOf(address) * addressLength;
  for (let index = 0; index < addressLength; index++) if (other[offset + index] !== bytes[start + index]) return false;
  return true;
}

/** Says whether an address is on the curve, tested once. Throws a `TypeError` for a text that is no address. */
export function isKnownOnCurve(address: string): boolean {
  const row = rowOf(address);
  if (curveAnswers[row] === unknown) {
    copyAddress(address, wasmMemory, wasmOffsets.input);
    curveAnswers[row] = wasm.isOnCurve() === 1 ? onCurve : offCurve;
  }
  return curveAnswers[row] === onCurve;
}

// No zeros ever stand in for a text that is no address. A row is valid only until the next address is looked up, which may clear the table.
function rowOf(address: string): number {
  return rows.get(address) ?? rowOfNew(address);
}

function rowOfNew(address: string): number {
  if (!isDecoded(address)) throw new TypeError(`not a Solana address: ${JSON.stringify(address)}`);
  return add(address);
}

function isDecoded(text: string): boolean {
  const { length } = text;
  if (length < minTextLength || length > maxTextLength) return false;
  let allCodes = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    wasmMemory[wasmOffsets.text + index] = code;
    allCodes |= code;
  }
  // The memory holds bytes: a character past them would be taken for another.
  return allCodes < 0x100 && wasm.decodeAddress(length) === 1;
}

function add(text: string): number {
  if (rows.size === maxKnown) rows.clear();
  const row = rows.size;
  rows.set(text, row);
  texts[row] = text;
  const start = row * addressLength;
  for (let index = 0; index < addressLength; index++) {
    bytes[start + index] = wasmMemory[wasmOffsets.output + index] ?? 0;
  }
  curveAnswers[row] = unknown;
  return row;
}

type TokenAccountSeeds = Readonly<Record<'owner' | 'tokenProgram' | 'mint', string>>;
type DerivedTokenAccount = Readonly<{ address: string; bump: number }>;

// An owner that deals in more mints than these at once has its token accounts derived again.
const perOwner = 2;

// Each entry names all that its token account was derived from, and stays true whatever becomes of the row it stands at: what
// another owner left there is not read, since that owner is not the one asked for.
const owners: string[] = Array.from({ length: maxKnown * perOwner }, () => '');
const mints: string[] = owners.slice();
const tokenPrograms: string[] = owners.slice();
const tokenAccounts: string[] = owners.slice();
const bumps = new Uint8Array(owners.length);
// Which of an owner's two was written last: 0 or 1.
const newerOfTwo = new Uint8Array(maxKnown);

/** Returns the token account that was remembered for exactly these seeds, otherwise undefined. */
export function knownTokenAccount({ owner, mint, tokenProgram }: TokenAccountSeeds): DerivedTokenAccount | undefined {
  const first = rowOf(owner) * perOwner;
  for (let entry = first; entry < first + perOwner; entry++) {
    if (owners[entry] === owner && mints[entry] === mint && tokenPrograms[entry] === tokenProgram) {
      return { address: tokenAccounts[entry] ?? '', bump: bumps[entry] ?? 0 };
    }
  }
  return undefined;
}

/** Remembers what was derived from these seeds, instead of the older of the owner's two. */
export function rememberTokenAccount(seeds: TokenAccountSeeds, found: DerivedTokenAccount): void {
  const row = rowOf(seeds.owner);
  const place = newerOfTwo[row] === 0 ? 1 : 0;
  newerOfTwo[row] = place;
  const entry = row * perOwner + place;
  owners[entry] = seeds.owner;
  mints[entry] = seeds.mint;
  tokenPrograms[entry] = seeds.tokenProgram;
  tokenAccounts[entry] = found.address;
  bumps[entry] = found.bump;
}
