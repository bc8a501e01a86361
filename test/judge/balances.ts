import type { Address } from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token-2022';
import type { TransferPlan } from '../../packages/core/src/plan/transfer-plan.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { totalOf } from './asked.ts';
import type { Situation } from './situation.ts';
import { creationRentOf } from './token-account.ts';
import { readNonce } from './transaction.ts';

const tokenDecoder = getTokenDecoder();

/** What a transfer changes, and what it must leave alone. Lamports are by address. */
export interface Balances {
  senderTokens: bigint;
  /** By token account, of all who are paid. */
  recipients: ReadonlyMap<Address, { tokens: bigint; owner: Address | undefined }>;
  lamports: ReadonlyMap<Address, bigint>;
  nonce: string | undefined;
}

/** Reads the balances of everybody in a situation. */
export function balancesOf(ledger: Ledger, situation: Situation): Balances {
  const tokens = (address: Address): { amount: bigint; owner: Address } | undefined => {
    const found = ledger.getAccount(address);
    return found?.programAddress === situation.tokenProgram ? tokenDecoder.decode(found.data) : undefined;
  };
  const { sender, feePayer, senderTokenAccount, nonceAccount, references, payments } = situation;
  const recipients = new Map<Address, { tokens: bigint; owner: Address | undefined }>();
  for (const { tokenAccount } of payments) {
    const found = tokens(tokenAccount);
    const held = found?.amount ?? wrappedByCreation(ledger, situation, tokenAccount);
    recipients.set(tokenAccount, { tokens: held, owner: found?.owner });
  }
  const wallets = payments.map(({ recipient }) => recipient);
  const watched = [sender, feePayer, ...wallets, ...(nonceAccount ? [nonceAccount] : []), ...references];
  const bystanders = watched.filter((address) => address !== senderTokenAccount && !recipients.has(address));
  return {
    senderTokens: tokens(senderTokenAccount)?.amount ?? 0n,
    recipients,
    lamports: new Map(bystanders.map((address) => [address, ledger.getAccount(address)?.lamports ?? 0n])),
    nonce: nonceAccount && readNonce(ledger, nonceAccount),
  };
}

// A new account of wrapped SOL counts as tokens the lamports that its address held beyond the rent.
function wrappedByCreation(ledger: Ledger, { world, tokenProgram }: Situation, tokenAccount: Address): bigint {
  const held = ledger.getAccount(tokenAccount)?.lamports ?? 0n;
  const excess = held - creationRentOf(ledger, world.mint, tokenProgram);
  return world.mint.kind === 'native' && excess > 0n ? excess : 0n;
}

/** Says where the balances after a transfer are not what its plan promised. */
export function judgeBalances(situation: Situation, plan: TransferPlan, before: Balances, after: Balances): string[] {
  const { world, feePayer, payments } = situation;
  const faults: string[] = [];
  const expect = (name: string, promised: unknown, found: unknown): void => {
    if (found !== promised) faults.push(`${name} should be ${promised} and is ${found}`);
  };
  expect('senderTokens', before.senderTokens - totalOf(world), after.senderTokens);
  for (const [tokenAccount, held] of before.recipients) {
    const paid = payments.filter((payment) => payment.tokenAccount === tokenAccount);
    const names = paid.map(({ payee }) => payee.name).join(' and ');
    const received = paid.reduce((sum, { payee }) => {
      const planned = payee.name === 'to' ? plan : plan.splits[payee.name];
      return sum + payee.amount - (planned?.transferFee ?? 0n);
    }, 0n);
    const left = after.recipients.get(tokenAccount);
    expect(`recipientTokens of ${names}`, held.tokens + received, left?.tokens);
    expect(`recipientTokenAccountOwner of ${names}`, paid[0]?.recipient, left?.owner);
  }
  const rent = plan.splits.reduce((sum, split) => sum + split.rent, plan.rent);
  const cost = plan.networkFee + plan.priorityFee + rent;
  for (const [address, held] of before.lamports) {
    const name = address === feePayer ? 'feePayerLamports' : `lamports of ${address}`;
    expect(name, address === feePayer ? held - cost : held, after.lamports.get(address));
  }
  if (before.nonce !== undefined && before.nonce === after.nonce) faults.push('the nonce was not advanced');
  return faults;
}
