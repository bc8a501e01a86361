import { isOnCurve } from './curve.ts';
import { sha256 } from './sha256.ts';
import { VerificationError } from './verification-error.ts';

/** The programs that a transaction may call, and what their instructions name. */
export const systemProgram = '11111111111111111111111111111111';
export const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111';
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const classicTokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const tokenAclProgram = 'TACLkU6CiCdkQN2MjoyDkVg2yAH9zkxiHDsiztQ52TP';
export const recentBlockhashesSysvar = 'SysvarRecentB1ockHashes11111111111111111111';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const addressLength = 32;

// As many digits at once as a number holds exactly.
const digitsOfChunk = 9;
const chunk = BigInt(58 ** digitsOfChunk);

/** Decodes base58, or returns undefined. */
export function fromBase58(text: string): Uint8Array | undefined {
  let number = 0n;
  for (let start = 0; start < text.length; start += digitsOfChunk) {
    const end = Math.min(start + digitsOfChunk, text.length);
    let digits = 0;
    for (let at = start; at < end; at++) {
      const digit = alphabet.indexOf(text.charAt(at));
      if (digit < 0) return undefined;
      digits = digits * 58 + digit;
    }
    number = number * BigInt(58 ** (end - start)) + BigInt(digits);
  }
  const hex = number === 0n ? '' : number.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const bytes = new Uint8Array(zeros + Math.ceil(hex.length / 2));
  for (let end = hex.length, at = bytes.length - 1; end > 0; end -= 2, at--) {
    bytes[at] = Number.parseInt(hex.slice(Math.max(0, end - 2), end), 16);
  }
  return bytes;
}

/** Encodes the 32 bytes of an address, each of which has exactly one text. */
export function toAddress(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, addressLength);
  let number = 0n;
  for (let at = 0; at < addressLength; at += 8) number = (number << 64n) | view.getBigUint64(at);
  let text = '';
  for (; number > 0n; number /= chunk) {
    let rest = Number(number % chunk);
    for (let digit = 0; digit < digitsOfChunk; digit++) {
      text = alphabet.charAt(rest % 58) + text;
      rest = Math.floor(rest / 58);
    }
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? addressLength : zeros) + text.replace(/^1+/, '');
}

/** Decodes an address. Throws a `VerificationError` of the code `invalid_request` that names the field. */
export function addressBytes(address: unknown, field: string): Uint8Array {
  const bytes = typeof address === 'string' && address.length <= 44 ? fromBase58(address) : undefined;
  if (bytes?.length === addressLength) return bytes;
  throw new VerificationError('invalid_request', field, 'an address', JSON.stringify(address));
}

/** What identifies the token account of a wallet. */
export interface TokenAccountOwner {
  wallet: string;
  tokenProgram: string;
  mint: string;
}

// A backend pays from the same wallet again and again.
const maxKnown = 2_000;
const known = new Map<string, string>();

/** Derives the token account of a wallet, as the Associated Token Account program does. */
export function tokenAccountOf({ wallet, tokenProgram, mint }: TokenAccountOwner): string {
  const seeds = [wallet, tokenProgram, mint];
  const found = known.get(seeds.join());
  if (found !== undefined) return found;
  const derived = derive(associatedTokenProgram, seeds.map(decode));
  if (known.size >= maxKnown) known.clear();
  known.set(seeds.join(), derived);
  return derived;
}

/** Derives the account in which the program of a transfer hook lists what it needs for a mint. */
export function hookListOf(hookProgram: string, mint: string): string {
  return accountUnder(hookProgram, 'extra-account-metas', mint);
}

/** Derives the account that a program keeps under a text and another address. */
export function accountUnder(program: string, text: string, address: string): string {
  return derive(program, [ascii(text), decode(address)]);
}

// The first digest that is off the curve, of bumps from 255 downwards (`Pubkey::find_program_address`).
function derive(program: string, seeds: readonly Uint8Array[]): string {
  const before = seeds.flatMap((seed) => [...seed]);
  const after = [...decode(program), ...ascii('ProgramDerivedAddress')];
  for (let bump = 255; bump >= 0; bump--) {
    const digest = sha256(Uint8Array.of(...before, bump, ...after));
    if (!isOnCurve(digest)) return toAddress(digest);
  }
  throw new VerificationError('invalid_request', `an address of the program ${program}`, 'one', 'none');
}

function decode(address: string): Uint8Array {
  return addressBytes(address, 'address');
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
