import type { Address } from '../addresses/address.ts';
import { warnOfMemo } from '../decide/memo-warnings.ts';
import { warnOfMint } from '../decide/mint-warnings.ts';
import { warnOfControls, warnOfHook, warnOfNonce } from '../decide/payment-warnings.ts';
import { readTokenAccountControl } from '../decide/token-account-control.ts';
import type { Warning } from '../findings/warning.ts';
import { sentAmount } from '../plan/transfer-plan.ts';
import type { Lifetime } from '../transaction/lifetime.ts';
import type { TransactionVersion } from '../transaction/transaction-version.ts';
import { rentOfBatch } from './check-batch.ts';
import type { DecidedBatch } from './decide-batch.ts';

/** The unsigned transactions of a batch, what went into them, and what they live by. */
export interface BuiltBatch extends DecidedBatch {
  /** In the order of `transactions`. */
  bytes: readonly Uint8Array[];
  lifetime: Lifetime;
}

/** What a batch does once all of it has landed. Amounts in base units, fees and rent in lamports. */
export interface BatchSummary {
  transactionVersion: TransactionVersion;
  transactionCount: number;
  /** No packing of these transfers has fewer transactions. */
  fewestTransactions: number;
  transferCount: number;
  /** Of every transaction, in the order of its signatures. */
  signers: readonly Address[];
  feePayer: Address;
  tokenProgram: Address;
  decimals: number;
  sender: Address;
  senderTokenAccount: Address;
  amount: bigint;
  transferFee: bigint;
  receivedAmount: bigint;
  networkFee: bigint;
  priorityFee: bigint;
  rent: bigint;
  /** How many token accounts are created. */
  createdTokenAccounts: number;
  warnings: readonly Warning[];
}

/** Returns what a batch will do once it lands, to the lamport and the base unit. */
export function summarizeBatch(batch: BuiltBatch): BatchSummary {
  const plans = batch.transactions.map(({ plan }) => plan);
  const [first] = plans;
  if (!first) throw new RangeError('a batch has a transaction');
  const payments = plans.flatMap((plan) => [...plan.splits, plan]);
  const amount = plans.reduce((sum, plan) => sum + sentAmount(plan), 0n);
  const transferFee = payments.reduce((sum, payment) => sum + payment.transferFee, 0n);
  const created = payments.filter((each) => each.createsRecipientTokenAccount && !each.recipientTokenAccountExists);
  return {
    transactionVersion: first.version,
    transactionCount: plans.length,
    fewestTransactions: batch.lowerBound,
    transferCount: batch.payments.length,
    signers: [...new Set([first.feePayer, first.sender])],
    feePayer: first.feePayer,
    tokenProgram: first.tokenProgram,
    decimals: first.decimals,
    sender: first.sender,
    senderTokenAccount: first.senderTokenAccount,
    amount,
    transferFee,
    receivedAmount: amount - transferFee,
    networkFee: plans.reduce((sum, plan) => sum + plan.networkFee, 0n),
    priorityFee: plans.reduce((sum, plan) => sum + plan.priorityFee, 0n),
    rent: rentOfBatch(plans),
    createdTokenAccounts: new Set(created.map(({ recipientTokenAccount }) => recipientTokenAccount)).size,
    warnings: warningsOf(batch),
  };
}

// The whole batch as if one transaction made it, so that each warning is there once.
function warningsOf({ transactions, payments, mint, senderTokenAccount }: BuiltBatch): readonly Warning[] {
  const plans = transactions.map(({ plan }) => plan);
  const [first] = plans;
  const all = plans.flatMap((plan) => [...plan.splits, plan]);
  const last = all.at(-1);
  if (!first || !last) return [];
  const whole = { ...first, ...last, splits: all.slice(0, -1) };
  const accounts = new Map(payments.map(({ tokenAccountAddress, account }) => [tokenAccountAddress, account]));
  const controlOf = (address: Address) => readTokenAccountControl(accounts.get(address) ?? null);
  const controls = {
    sender: readTokenAccountControl(senderTokenAccount),
    recipient: controlOf(last.recipientTokenAccount),
    splits: whole.splits.map((split) => controlOf(split.recipientTokenAccount)),
  };
  const memos = new Set(payments.map(({ payee }) => payee.memo?.text ?? ''));
  return [
    ...warnOfMint(whole, mint),
    ...warnOfHook(whole, mint.transferHookProgram),
    ...warnOfControls(whole, controls),
    ...(first.nonce ? [warnOfNonce(first.nonce.account)] : []),
    ...warnOfRepeated(payments.map(({ payee }) => payee.to)),
    ...warnOfMemo([...memos].join(' ')),
  ];
}

function warnOfRepeated(recipients: readonly Address[]): readonly Warning[] {
  const transfersOf = new Map<Address, number[]>();
  for (const [index, recipient] of recipients.entries()) {
    const transfers = transfersOf.get(recipient);
    if (transfers) transfers.push(index);
    else transfersOf.set(recipient, [index]);
  }
  return [...transfersOf]
    .filter(([, transfers]) => transfers.length > 1)
    .map(([recipient, transfers]) => ({ code: 'repeated_recipient', context: { recipient, transfers } }));
}
