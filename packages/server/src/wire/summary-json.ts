import { type BatchSummary, formatAmount, shownAmount, type TransferSummary } from 'splwright-core';
import type { Static } from 'typebox';
import type { BatchData } from './schemas/batch-schema.ts';
import type { summarySchema } from './schemas/summary-schema.ts';
import { wordWarning } from './words/warning-words.ts';

/** The `summary` member of a reply. */
export type SummaryJson = Static<typeof summarySchema>;

/** Writes a summary as the JSON of a reply: 64-bit numbers as strings, what is absent as `null`, warnings in words. */
export function summaryJson(summary: TransferSummary): SummaryJson {
  const { decimals, nonce, transferHook, senderTokenAccountControl: sender } = summary;
  const recipient = summary.recipientTokenAccountControl;
  const tokens = (amount: bigint): SummaryJson['amount'] => tokenAmountJson(amount, summary);
  const delegateOf = (control: typeof sender): SummaryJson['sender_token_account_delegate'] =>
    control?.delegate ? { address: control.delegate.address, amount: tokens(control.delegate.amount) } : null;
  return {
    transaction_version: summary.transactionVersion,
    size: summary.size,
    size_limit: summary.sizeLimit,
    signers: [...summary.signers],
    fee_payer: summary.feePayer,
    token_program: summary.tokenProgram,
    decimals,
    sender: summary.sender,
    sender_token_account: summary.senderTokenAccount,
    recipient: summary.recipient,
    recipient_token_account: summary.recipientTokenAccount,
    amount: tokens(summary.amount),
    transfer_fee: tokens(summary.transferFee),
    received_amount: tokens(summary.receivedAmount),
    network_fee: summary.networkFee.toString(),
    priority_fee: summary.priorityFee.toString(),
    rent: summary.rent.toString(),
    creates_token_account: summary.createsTokenAccount,
    splits: summary.splits.map((split) => ({
      recipient: split.recipient,
      recipient_token_account: split.recipientTokenAccount,
      amount: tokens(split.amount),
      transfer_fee: tokens(split.transferFee),
      received_amount: tokens(split.receivedAmount),
      creates_token_account: split.createsTokenAccount,
      recipient_token_account_delegate: delegateOf(split.recipientTokenAccountControl),
      recipient_token_account_close_authority: split.recipientTokenAccountControl?.closeAuthority ?? null,
    })),
    compute_unit_limit: summary.computeUnitLimit ?? null,
    compute_units_consumed: summary.computeUnitsConsumed ?? null,
    blockhash: summary.blockhash ?? null,
    last_valid_block_height: summary.lastValidBlockHeight?.toString() ?? null,
    nonce: nonce ? { account: nonce.account, authority: nonce.authority, value: nonce.nonce } : null,
    recipient_requires_memo: summary.recipientRequiresMemo,
    memo: summary.memo ?? null,
    references: [...summary.references],
    transfer_hook: transferHook
      ? { program: transferHook.program, writable_accounts: [...transferHook.writableAccounts] }
      : null,
    sender_token_account_delegate: delegateOf(sender),
    sender_token_account_close_authority: sender?.closeAuthority ?? null,
    recipient_token_account_delegate: delegateOf(recipient),
    recipient_token_account_close_authority: recipient?.closeAuthority ?? null,
    warnings: summary.warnings.map(wordWarning),
  };
}

/** Writes the totals of a batch as the JSON of a reply: 64-bit numbers as strings, warnings in words. */
export function batchSummaryJson(summary: BatchSummary): BatchData['summary'] {
  const tokens = (amount: bigint): BatchData['summary']['amount'] => tokenAmountJson(amount, summary);
  return {
    transaction_count: summary.transactionCount,
    fewest_transactions: summary.fewestTransactions,
    transfer_count: summary.transferCount,
    fee_payer: summary.feePayer,
    token_program: summary.tokenProgram,
    decimals: summary.decimals,
    sender: summary.sender,
    sender_token_account: summary.senderTokenAccount,
    amount: tokens(summary.amount),
    transfer_fee: tokens(summary.transferFee),
    received_amount: tokens(summary.receivedAmount),
    network_fee: summary.networkFee.toString(),
    priority_fee: summary.priorityFee.toString(),
    rent: summary.rent.toString(),
    created_token_accounts: summary.createdTokenAccounts,
    warnings: summary.warnings.map(wordWarning),
  };
}

// Its base units, in tokens, and what wallets show where that is another number.
function tokenAmountJson(
  amount: bigint,
  { decimals, uiScale }: Pick<TransferSummary, 'decimals' | 'uiScale'>,
): SummaryJson['amount'] {
  return {
    base_units: amount.toString(),
    decimal: formatAmount(amount, decimals),
    ...(uiScale && { ui_amount: formatAmount(shownAmount(amount, decimals, uiScale), decimals) }),
  };
}
