import { fromBase58, fromCharacters, toBase58 } from './bytes.ts';
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

const addressLength = 32;

/** Decodes an address. Throws a `VerificationError` of the code `invalid_request` that names the field. */
export function addressBytes(address: unknown, field: string): Uint8Array {
  const bytes = typeof address === 'string' && address.length <= 44 ? fromBase58(address) : undefined;
  if (bytes?.length === addressLength) return bytes;
  throw new VerificationError('invalid_request', field, 'an address', address);
}

/** What identifies the token account of a wallet. */
export interface TokenAccountOwner {
  wallet: string;
  tokenProgram: string;
  mint: string;
}

/** Derives the token account of a wallet, as the Associated Token Account program does. */
export function tokenAccountOf({ wallet, tokenProgram, mint }: TokenAccountOwner): string {
  return derive(associatedTokenProgram, [wallet, tokenProgram, mint].map(decode));
}

/** Derives the account that a program keeps under a text and another address. */
export function accountUnder(program: string, text: string, address: string): string {
  return derive(program, [fromCharacters(text), decode(address)]);
}

// The first digest that is off the curve, of bumps from 255 downwards (`Pubkey::find_program_address`).
function derive(program: string, seeds: readonly Uint8Array[]): string {
  const before = seeds.flatMap((seed) => [...seed]);
  const after = [...decode(program), ...fromCharacters('ProgramDerivedAddress')];
  for (let bump = 255; bump >= 0; bump--) {
    const digest = sha256(Uint8Array.of(...before, bump, ...after));
    if (!isOnCurve(digest)) return toBase58(digest);
  }
  throw new VerificationError('invalid_request', `an address of the program ${program}`, 'one', 'none');
}

function decode(address: string): Uint8Array {
  return addressBytes(address, 'address');
}
