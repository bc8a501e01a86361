import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import { type Address, addressFromBytes } from './address.ts';
import { encodeBase58 } from './base58.ts';
import { readU32 } from './little-endian.ts';
import { systemProgram } from './programs.ts';
import type { NonceAdvance } from './transfer-plan.ts';

// u32 version, u32 state, 32 bytes of authority, 32 bytes of nonce, u64 lamports per signature (`solana-nonce` `state.rs`).
const nonceAccountLength = 80;
const currentVersion = 1;
const stateInitialized = 1;

/** Reads a nonce account for a transaction that `signers` sign: the nonce and who advances it, or why it cannot be used. */
export function judgeNonceAccount(
  address: Address,
  account: Account | null,
  signers: readonly Address[],
): { nonce: NonceAdvance } | { finding: Finding } {
  const refuse = (code: Finding['code'], detail: string): { finding: Finding } => ({
    finding: { code, pointer: '/nonce_account', detail },
  });
  if (!account) {
    return refuse('nonce_account_not_found', `There is no account at ${address}. Create the nonce account first.`);
  }
  if (account.owner !== systemProgram || account.data.length !== nonceAccountLength) {
    const detail =
      `${address} is an account of the program ${account.owner} with ${account.data.length} bytes of data; a nonce ` +
      `account is one of the System program with ${nonceAccountLength}. Send the address of a nonce account.`;
    return refuse('not_a_nonce_account', detail);
  }
  if (readU32(account.data, 4) !== stateInitialized) {
    return refuse(
      'nonce_account_not_initialized',
      `The nonce account ${address} is not initialized. Initialize it first.`,
    );
  }
  if (readU32(account.data, 0) !== currentVersion) {
    const detail = `The nonce account ${address} is of a version that no transaction may use any more. Upgrade it first.`;
    return refuse('nonce_account_not_initialized', detail);
  }
  const authority = addressFromBytes(account.data.subarray(8, 40));
  if (!signers.includes(authority)) {
    const detail =
      `The authority of the nonce account ${address} is ${authority}, who does not sign this transaction ` +
      `(${signers.join(' and ')} would). Use a nonce account of a signer.`;
    return refuse('nonce_authority_not_a_signer', detail);
  }
  return { nonce: { account: address, authority, nonce: encodeBase58(account.data.subarray(40, 72)) } };
}
