import type { Address, EncodedAccount } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { Ledger } from '../../../sandbox/src/index.ts';
import { TransactionDecodingError } from '../../../sandbox/src/ledger/transaction-decoding.ts';

/** What a transaction leaves behind: its accounts after it, or why it moves nothing. */
export type Effect = { accounts: ReadonlyMap<Address, EncodedAccount> } | { failure: string };

/** Executes a transaction on a ledger as it is, as if all had signed, and keeps nothing of it. */
export function effectOf(ledger: Ledger, bytes: Uint8Array): Effect {
  if (hasUnknownSettings(bytes)) return { failure: 'it is no transaction' };
  try {
    const checks = { verifySignatures: false, checkLifetime: true, commitment: 'processed' } as const;
    const { error, postAccounts } = ledger.simulate(bytes, checks);
    if (error !== null || !postAccounts) return { failure: typeof error === 'string' ? error : JSON.stringify(error) };
    return { accounts: new Map(postAccounts.map((account) => [account.address, account])) };
  } catch (error) {
    if (error instanceof TransactionDecodingError) return { failure: 'it is no transaction' };
    throw error;
  }
}

// The virtual machine ends the process at these, where a validator says that they are no transaction.
function hasUnknownSettings(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x81 || bytes.length < 8) return false;
  const mask = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return mask > 0b1_1111 || (mask & 0b11) === 0b01 || (mask & 0b11) === 0b10;
}

/** The lamports that a fee payer may have more or fewer, by another priority fee. */
export interface Allowance {
  feePayer: string;
  lamports: bigint;
}

/**
 * Says how the effect of a changed transaction differs from that of the original: in any balance, owner or byte of any account.
 *
 * `allowance`: what the fee payer has fewer after the changed one, because of its priority fee.
 */
export function differenceOf(
  ledger: Ledger,
  original: Effect,
  changed: Effect,
  allowance: Allowance,
): string | undefined {
  if ('failure' in changed) return undefined;
  const before = 'failure' in original ? new Map<Address, EncodedAccount>() : original.accounts;
  for (const address of new Set([...before.keys(), ...changed.accounts.keys()])) {
    const expected = before.get(address) ?? ledger.getAccount(address);
    const found = changed.accounts.get(address) ?? ledger.getAccount(address);
    const allowed = address === allowance.feePayer ? allowance.lamports : 0n;
    const [one, other] = [describe(expected, -allowed), describe(found, 0n)];
    if (one !== other) return `${address}: ${one} instead of ${other}`;
  }
  return undefined;
}

// Without lamports there is no account: one without data, of the System program, is what lamports alone would make it.
function describe(account: EncodedAccount | undefined, change: bigint): string {
  if (!account || account.lamports === 0n) return `${change} ${SYSTEM_PROGRAM_ADDRESS} false `;
  const { lamports, programAddress, executable, data } = account;
  return `${lamports + change} ${programAddress} ${executable} ${Buffer.from(data).toString('base64')}`;
}
