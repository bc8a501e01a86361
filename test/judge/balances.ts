import type { Address } from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token-2022';
import type { TransferPlan } from '../../packages/core/src/plan/transfer-plan.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import type { Situation } from './situation.ts';
import { creationRentOf } from './token-account.ts';
import { readNonce } from './transaction.ts';

const tokenDecoder = getTokenDecoder();

/** What a transfer changes, and what it must leave alone. Lamports are by address. */
export interface Balances {
  senderTokens: bigint;
  recipientTokens: bigint;
  recipientTokenAccountOwner: string | undefined;
  lamports: ReadonlyMap<Address, bigint>;
  nonce: string | undefined;
}

/** Reads the balances of everybody in a situation. */
export function balancesOf(ledger: Ledger, situation: Situation): Balances {
  const tokens = (address: Address): { amount: bigint; owner: Address } | undefined => {
    const found = ledger.getAccount(address);
    return found?.programAddress === situation.tokenProgram ? tokenDecoder.decode(found.data) : undefined;
  };
  const recipientTokenAccount = tokens(situation.recipientTokenAccount);
  const { sender, feePayer, recipient, nonceAccount, references } = situation;
  const isTokenAccount = (address: Address): boolean =>
    address === situation.senderTokenAccount || address === situation.recipientTokenAccount;
  const watched = [sender, feePayer, recipient, ...(nonceAccount ? [nonceAccount] : []), ...references];
  const bystanders = watched.filter((address) => !isTokenAccount(address));
  return {
    senderTokens: tokens(situation.senderTokenAccount)?.amount ?? 0n,
    recipientTokens: recipientTokenAccount?.amount ?? wrappedByCreation(ledger, situation),
    recipientTokenAccountOwner: recipientTokenAccount?.owner,
    lamports: new Map(bystanders.map((address) => [address, ledger.getAccount(address)?.lamports ?? 0n])),
    nonce: nonceAccount && readNonce(ledger, nonceAccount),
  };
}

// A new account of wrapped SOL counts as tokens the lamports that its address held beyond the rent.
function wrappedByCreation(ledger: Ledger, { world, tokenProgram, recipientTokenAccount }: Situation): bigint {
  const held = ledger.getAccount(recipientTokenAccount)?.lamports ?? 0n;
  const excess = held - creationRentOf(ledger, world.mint, tokenProgram);
  return world.mint.kind === 'native' && excess > 0n ? excess : 0n;
}

/** Says where the balances after a transfer are not what its plan promised. */
export function judgeBalances(situation: Situation, plan: TransferPlan, before: Balances, after: Balances): string[] {
  const { world, feePayer } = situation;
  const expected = {
    senderTokens: before.senderTokens - world.amount,
    recipientTokens: before.recipientTokens + world.amount - plan.transferFee,
    recipientTokenAccountOwner: plan.recipient,
  };
  const faults = (Object.keys(expected) as (keyof typeof expected)[])
    .filter((name) => expected[name] !== after[name])
    .map((name) => `${name} should be ${expected[name]} and is ${after[name]}`);
  const cost = plan.networkFee + plan.priorityFee + plan.rent;
  for (const [address, held] of before.lamports) {
    const promised = address === feePayer ? held - cost : held;
    const left = after.lamports.get(address);
    const name = address === feePayer ? 'feePayerLamports' : `the lamports of ${address}`;
    if (left !== promised) faults.push(`${name} should be ${promised} and are ${left}`);
  }
  if (before.nonce !== undefined && before.nonce === after.nonce) faults.push('the nonce was not advanced');
  return faults;
}
