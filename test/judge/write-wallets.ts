import type { Address } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { vault } from '../setup/proxy-program.ts';
import { foreignProgram, systemProgram } from './addresses.ts';
import type { FeePayerWallet } from './options-world.ts';
import type { Situation } from './situation.ts';
import { account, clearAccount, creationRentOf } from './token-account.ts';
import { type LamportLevel, lamportLevels, type SenderWallet } from './world.ts';
import { encodeMultisig, nonceData } from './write-accounts.ts';

// More than all SOL there is. The dearest priority fees come to more than an account can hold.
const maxLamports = 2n ** 63n;

/** Writes the sender and who pays for it, whose lamports depend on `fee`, the cost of the transaction without rent. */
export function writeWallets(ledger: Ledger, situation: Situation, fee: bigint): void {
  const { world, sender, feePayer } = situation;
  const rent = missingRentOf(ledger, situation);
  const write = (address: Address, kind: SenderWallet | FeePayerWallet, level: LamportLevel): void => {
    const data = dataOf(kind);
    const minimum = ledger.minimumBalanceForRentExemption(BigInt(data.length));
    const needed = lamportLevels[level]({ fee, rent, minimum });
    const { lamports, rent: own } = (address === sender && situation.wrapping) || { lamports: 0n, rent: 0n };
    const all = level === 'none' ? 0n : needed + lamports + own;
    const balance = all < maxLamports ? all : maxLamports;
    if (balance <= 0n) clearAccount(ledger, address);
    else ledger.setAccount(account(address, ownerOf(kind, situation), balance, data));
  };
  write(sender, world.senderWallet, world.lamports);
  const payer = world.options.feePayer;
  if (payer && feePayer !== sender) write(feePayer, payer.wallet, payer.lamports);
}

function missingRentOf(ledger: Ledger, { world, tokenProgram, payments }: Situation): bigint {
  const rent = creationRentOf(ledger, world.mint, tokenProgram);
  let sum = 0n;
  for (const { payee, tokenAccount } of payments) {
    const existing = ledger.getAccount(tokenAccount);
    const missing = rent - (existing?.lamports ?? 0n);
    const creates = payee.creates && existing?.programAddress !== tokenProgram;
    if (creates && missing > 0n) sum += missing;
  }
  return sum;
}

function dataOf(kind: SenderWallet | FeePayerWallet): Uint8Array {
  if (kind === 'nonce') return nonceData(vault);
  if (kind === 'multisig') return encodeMultisig();
  return new Uint8Array(kind === 'system_with_data' ? 16 : 0);
}

function ownerOf(kind: SenderWallet | FeePayerWallet, { tokenProgram }: Situation): Address {
  if (kind === 'multisig') return tokenProgram;
  return kind === 'foreign_program' ? foreignProgram : systemProgram;
}
