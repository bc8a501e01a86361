import type { TokenAccount } from '../accounts/token-state.ts';
import { type UiScale, uiScaleAt } from '../accounts/ui-amount.ts';
import type { Address } from '../addresses/address.ts';
import { warnOfMemo } from '../decide/memo-warnings.ts';
import { type SponsorFeeSummary, summarizeSponsorFee } from '../decide/transfer-summary.ts';
import { warnOfControls, warnOfHook, warnOfMint, warnOfNeverUsed, warnOfNonce } from '../decide/transfer-warnings.ts';
import { sortWarnings, type Warning } from '../findings/warning.ts';
import { signersOf } from '../plan/plan-message.ts';
import { neverUsedIn } from '../plan/transfer-facts.ts';
import { recipientFirst, sentAmount, type TransferPlan } from '../plan/transfer-plan.ts';
import type { TransactionVersion } from '../transaction/encode-transaction.ts';
import type { Lifetime } from '../transaction/lifetime.ts';
import { rentOfBatch } from './check-batch.ts';
import type { DecidedBatch, DecidedPart } from './decide-batch.ts';

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
  sender: Address;
  /** What is sent of each mint. */
  tokens: readonly BatchTokens[];
  networkFee: bigint;
  priorityFee: bigint;
  rent: bigint;
  /** Of all transactions together; `undefined` where no sponsor is paid. */
  sponsorFee: SponsorFeeSummary | undefined;
  /** How many token accounts are created. */
  createdTokenAccounts: number;
  warnings: readonly Warning[];
}

/** What a batch sends of one mint. Amounts in base units. */
export interface BatchTokens extends Pick<TransferPlan, 'mint' | 'tokenProgram' | 'decimals' | 'senderTokenAccount'> {
  /** How wallets show amounts of the mint; `undefined` where they show them as they are. */
  uiScale: UiScale | undefined;
  amount: bigint;
  transferFee: bigint;
  receivedAmount: bigint;
}

/** Returns what a batch will do once it lands, to the lamport and the base unit. */
export function summarizeBatch(batch: BuiltBatch): BatchSummary {
  const plans = batch.transactions.map(({ plan }) => plan);
  const last = plans.at(-1);
  if (!last) throw new RangeError('a batch has a transaction');
  const created = plans
    .flatMap(({ payments }) => payments)
    .filter((each) => each.createsRecipientTokenAccount && !each.recipientTokenAccountExists);
  return {
    transactionVersion: last.version,
    transactionCount: plans.length,
    fewestTransactions: batch.lowerBound,
    transferCount: batch.parts.reduce((sum, { payments }) => sum + payments.length, 0),
    signers: signersOf(last),
    feePayer: last.feePayer,
    sender: last.sender,
    tokens: batch.parts.map(tokensOf),
    networkFee: plans.reduce((sum, plan) => sum + plan.networkFee, 0n),
    priorityFee: plans.reduce((sum, plan) => sum + plan.priorityFee, 0n),
    rent: rentOfBatch(plans),
    sponsorFee: summarizeSponsorFee(plans),
    createdTokenAccounts: new Set(created.map(({ recipientTokenAccount }) => recipientTokenAccount)).size,
    warnings: warningsOf(batch, last),
  };
}

// The part as if one transaction made it.
function wholeOf({ plans }: DecidedPart): TransferPlan {
  const [last, payments] = [plans.at(-1), plans.flatMap((plan) => plan.payments)];
  if (!last) throw new RangeError('a part of a batch has a transaction');
  return { ...last, payments };
}

function tokensOf(part: DecidedPart): BatchTokens {
  const { mint, tokenProgram, decimals, senderTokenAccount, payments } = wholeOf(part);
  const { uiAmountConfig } = part.mint;
  const amount = sentAmount({ payments });
  const transferFee = payments.reduce((sum, payment) => sum + payment.transferFee, 0n);
  const uiScale = uiAmountConfig && uiScaleAt(uiAmountConfig, part.clock.unixSeconds);
  const account = { mint, tokenProgram, decimals, senderTokenAccount, uiScale };
  return { ...account, amount, transferFee, receivedAmount: amount - transferFee };
}

// Of the whole, so that each warning is there once.
function warningsOf({ parts }: BuiltBatch, { nonce }: TransferPlan): readonly Warning[] {
  const payments = parts.flatMap((part) => part.payments);
  const memos = new Set<string>();
  for (const { memo: { text: memo } = noMemo } of payments) {
    if (memo !== '' && warnOfMemo(memo).length > 0) memos.add(memo);
  }
  return sortWarnings([
    ...parts.flatMap(warningsOfPart),
    ...warnOfNeverUsed(neverUsedIn(payments)),
    ...(nonce ? warnOfNonce(nonce.account) : []),
    ...warnOfMemo([...memos].join(' ')),
  ]);
}

function warningsOfPart(part: DecidedPart): readonly Warning[] {
  const { payments, mint, clock, senderTokenAccount } = part;
  const whole = wholeOf(part);
  // Those from which others than their owners may take tokens.
  const controlled = new Map<Address, TokenAccount>();
  for (const { tokenAccount } of payments) {
    const { address, state } = tokenAccount;
    if (state && (state.delegate || state.isNative)) controlled.set(address, state);
  }
  const paid = controlled.size === 0 ? [] : recipientFirst(whole.payments);
  const paidAccounts = paid.map(({ recipient, recipientTokenAccount: tokenAccount }) => {
    return { recipient, tokenAccount, state: controlled.get(tokenAccount) };
  });
  return [
    ...warnOfMint(whole, mint, clock),
    ...warnOfHook(whole, mint.transferHookProgram),
    ...warnOfControls(whole, senderTokenAccount.state, paidAccounts),
    ...warnOfRepeated(part),
  ];
}

const noMemo = { text: '' };

function warnOfRepeated({ payments, indices }: DecidedPart): readonly Warning[] {
  const transfersOf = Map.groupBy(payments.keys(), (index) => payments[index]?.to);
  if (transfersOf.size === payments.length) return [];
  return [...transfersOf].flatMap(([recipient, own]) => {
    if (recipient === undefined || own.length === 1) return [];
    const transfers = own.flatMap((index) => indices[index] ?? []);
    return [{ code: 'repeated_recipient', context: { recipient, transfers } }];
  });
}
