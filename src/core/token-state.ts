import type { Account } from './account.ts';
import { type Address, addressFromBytes } from './address.ts';
import { isTokenProgram, token2022Program, tokenProgram } from './programs.ts';

// Sizes and offsets: token `interface/src/state.rs`; token-2022 `interface/src/extension/mod.rs` (account type byte).
const mintLength = 82;
const tokenAccountLength = 165;
const multisigLength = 355;
const accountTypeOffset = 165;
const accountTypeMint = 1;
const accountTypeTokenAccount = 2;

/** What a transfer must know of a mint. */
export interface Mint {
  tokenProgram: Address;
  decimals: number;
  supply: bigint;
}

/** What a transfer must know of a token account. Amounts are in base units. */
export interface TokenAccount {
  tokenProgram: Address;
  mint: Address;
  owner: Address;
  amount: bigint;
}

/** What an account owned by a token program is. */
export type TokenProgramAccountKind = 'mint' | 'token_account' | 'multisig' | 'unknown';

/**
 * Classifies an account of one of the token programs by its length and type byte, before any field of it is trusted.
 *
 * Returns `undefined` for an account of any other program.
 */
export function classifyTokenProgramAccount(account: Account): TokenProgramAccountKind | undefined {
  if (!isTokenProgram(account.owner)) return undefined;
  const { length } = account.data;
  if (length === multisigLength) return 'multisig';
  if (length === mintLength) return 'mint';
  if (length === tokenAccountLength) return 'token_account';
  if (account.owner === token2022Program && length > accountTypeOffset) {
    if (account.data[accountTypeOffset] === accountTypeMint) return 'mint';
    if (account.data[accountTypeOffset] === accountTypeTokenAccount) return 'token_account';
  }
  return 'unknown';
}

/** Reads a mint, or `undefined` when the account is not an initialized mint of one of the token programs. */
export function decodeMint(account: Account): Mint | undefined {
  if (classifyTokenProgramAccount(account) !== 'mint') return undefined;
  const isInitialized = account.data[45] === 1;
  if (!isInitialized) return undefined;
  return { tokenProgram: account.owner, decimals: account.data[44] ?? 0, supply: readU64(account.data, 36) };
}

/** Reads a token account, or `undefined` when the account is not an initialized one of one of the token programs. */
export function decodeTokenAccount(account: Account): TokenAccount | undefined {
  if (classifyTokenProgramAccount(account) !== 'token_account') return undefined;
  const isInitialized = account.data[108] !== 0;
  if (!isInitialized) return undefined;
  return {
    tokenProgram: account.owner,
    mint: addressFromBytes(account.data.subarray(0, 32)),
    owner: addressFromBytes(account.data.subarray(32, 64)),
    amount: readU64(account.data, 64),
  };
}

/** The name that people know a token program by. */
export function tokenProgramName(program: Address): string {
  if (program === tokenProgram) return 'SPL Token';
  if (program === token2022Program) return 'Token-2022';
  return program;
}

function readU64(data: Uint8Array, offset: number): bigint {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(offset, true);
}
