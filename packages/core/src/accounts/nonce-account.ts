import { type Address, addressFromBytes } from '../addresses/address.ts';
import { encodeBase58 } from '../addresses/base58.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import { systemProgram } from '../addresses/programs.ts';
import { readU32 } from '../bytes/little-endian.ts';
import type { Finding } from '../findings/finding.ts';
import type { Account } from './account.ts';

// u32 version, u32 state, 32 bytes of authority, 32 bytes of nonce, u64 lamports per signature (`solana-nonce` `state.rs`).
const nonceAccountLength = 80;
const currentVersion = 1;
const stateInitialized = 1;

/** Returns the nonce of an account in base58, or undefined when it holds none that a transaction can use. */
export function readNonce(account: Account | null): string | undefined {
  if (account?.owner !== systemProgram || account.data.length !== nonceAccountLength) return undefined;
  const isUsable = readU32(account.data, 0) === currentVersion && readU32(account.data, 4) === stateInitialized;
  return isUsable ? nonceIn(account.data) : undefined;
}

/** Reads a nonce account for a transaction: the nonce and who signs to advance it, or why it cannot be used. */
export function checkNonceAccount(
  address: Address,
  account: Account | null,
): { nonce: NonceAdvance } | { finding: Finding } {
  const field = 'nonceAccount';
  if (!account) return { finding: { code: 'nonce_account_not_found', field, context: { nonceAccount: address } } };
  if (account.owner !== systemProgram || account.data.length !== nonceAccountLength) {
    const byteLength = account.space ?? account.data.length;
    const expectedByteLength = nonceAccountLength;
    const context = { nonceAccount: address, program: account.owner, byteLength, expectedByteLength };
    return { finding: { code: 'not_a_nonce_account', field, context } };
  }
  if (readU32(account.data, 4) !== stateInitialized) {
    const context = { nonceAccount: address, fault: 'not_initialized' } as const;
    return { finding: { code: 'nonce_account_not_initialized', field, context } };
  }
  if (readU32(account.data, 0) !== currentVersion) {
    const context = { nonceAccount: address, fault: 'old_version' } as const;
    return { finding: { code: 'nonce_account_not_initialized', field, context } };
  }
  const authority = addressFromBytes(account.data.subarray(8, 40));
  if (!isAddressOnCurve(authority)) {
    const context = { nonceAccount: address, authority };
    return { finding: { code: 'nonce_authority_not_a_signer', field, context } };
  }
  return { nonce: { account: address, authority, nonce: nonceIn(account.data) } };
}

function nonceIn(data: Uint8Array): string {
  return encodeBase58(data.subarray(40, 72));
}

/** The nonce account of a plan and who may advance it. */
export interface NonceAdvance {
  account: Address;
  authority: Address;
  /** Base58 of 32 bytes: what stands where a blockhash would. */
  nonce: string;
}
