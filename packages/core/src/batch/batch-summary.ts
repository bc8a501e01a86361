import type { TokenAccount } from '../accounts/token-state.ts';
import { type UiScale, uiScaleAt } from '../accounts/ui-amount.ts';
import type { Address } from '../addresses/address.ts';
import { warnOfMemo } from '../decide/memo-warnings.ts';
import { type SponsorFeeSummary, summarizeSponsorFee } from '../decide/transfer-summary.ts';
import { warnOfControls, warnOfHook, warnOfMint, warnOfNeverUsed, warnOfNonce } from '../decide/transfer-warnings.ts';
import { sortWarnings, type Warning } from '../findings/warning.ts';
import { neverUsedIn } from '../plan/transfer-facts.ts';
import { recipientFirst, sentAmount, type TransferPlan } from '../plan/transfer-plan.ts';
import type { TransactionVersion } from '../transaction/encode-transaction.ts';
import type { Lifetime } from '../transaction/lifetime.ts';
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
  /** How wallets show amounts of the mint; `undefined` where they show them as they are. */
  uiScale: UiScale | undefined;
  sender: Address;
  senderTokenAccount: Address;
  amount: bigint;
  transferFee: bigint;
  receivedAmount: bigint;
  networkFee: bigint;
  priorityFee: bigint;
  rent: bigint;
  /** Of all transactions together; `undefined` where no sponsor is paid. */
  sponsorFee: SponsorFeeSummary | undefined;
  /** How many token accounts are created. */
  createdTokenAccounts: number;
  warnings: readonly Warning[];
}

/** Returns what a batch will do once it lands, to the lamport and the base unit. */
export function summarizeBatch(batch: BuiltBatch): BatchSummary {
  const { mint, clock } = batch;
  const plans = batch.transactions.map(({ plan }) => plan);
  const last = plans.at(-1);
  if (!last) throw new RangeError('a batch has a transaction');
  const payments = plans.flatMap((plan) => plan.payments);
  // The batch as if one transaction made it.
  const whole = { ...last, payments };
  const amount = sentAmount(whole);
  const transferFee = payments.reduce((sum, payment) => sum + payment.transferFee, 0n);
  const created = payments.filter((each) => each.createsRecipientTokenAccount && !each.recipientTokenAccountExists);
  return {
    transactionVersion: whole.version,
    transactionCount: plans.length,
    fewestTransactions: batch.lowerBound,
    transferCount: batch.payments.length,
    signers: [...new Set([whole.feePayer, whole.sender])],
    feePayer: whole.feePayer,
    tokenProgram: whole.tokenProgram,
    decimals: whole.decimals,
    uiScale: mint.uiAmountConfig && uiScaleAt(mint.uiAmountConfig, clock.unixSeconds),
    sender: whole.sender,
    senderTokenAccount: whole.senderTokenAccount,
    amount,
    transferFee,
    receivedAmount: amount - transferFee,
    networkFee: plans.reduce((sum, plan) => sum + plan.networkFee, 0n),
    priorityFee: plans.reduce((sum, plan) => sum + plan.priorityFee, 0n),
    rent: rentOfBatch(plans),
    sponsorFee: summarizeSponsorFee(plans),
    createdTokenAccounts: new Set(created.map(({ recipientTokenAccount }) => recipientTokenAccount)).size,
    warnings: warningsOf(whole, batch),
  };
}

// Of the whole, so that each warning is there once.
function warningsOf(
  whole: TransferPlan,
  { payments, mint, clock, senderTokenAccount }: BuiltBatch,
): readonly Warning[] {
  // Those from which others than their owners may take tokens.
  const controlled = new Map<Address, TokenAccount>();
  const memos = new Set<string>();
  for (const { memo: { text: memo } = noMemo, tokenAccount } of payments) {
    const { address, state } = tokenAccount;
    if (state && (state.delegate || state.isNative)) controlled.set(address, state);
    if (memo !== '' && warnOfMemo(memo).length > 0) memos.add(memo);
  }
  const paid = controlled.size === 0 ? [] : recipientFirst(whole.payments);
  const paidAccounts = paid.map(({ recipient, recipientTokenAccount: tokenAccount }) => {
    return { recipient, tokenAccount, state: controlled.get(tokenAccount) };
  });
  return sortWarnings([
    ...warnOfMint(whole, mint, clock),
    ...warnOfHook(whole, mint.transferHookProgram),
    ...warnOfNeverUsed(neverUsedIn(payments)),
    ...warnOfControls(whole, senderTokenAccount.state, paidAccounts),
    ...(whole.nonce ? warnOfNonce(whole.nonce.account) : []),
    ...warnOfRepeated(payments.map(({ to }) => to)),
    ...warnOfMemo([...memos].join(' ')),
  ]);
}

const noMemo = { text: '' };

function warnOfRepeated(recipients: readonly Address[]): readonly Warning[] {
  if (new Set(recipients).size === recipients.length) return [];
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
