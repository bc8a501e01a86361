import type { BatchSummary, Steps } from 'splwright-core';
import { statusTexts } from './replies.ts';
import type { BatchData } from './schemas/batch-schema.ts';
import { tokenAmountJson } from './summary-json.ts';
import { wordWarning } from './words/warning-words.ts';

const transactionsPerStep = 20;

/** Writes the JSON text of the reply to a batch in short steps: its transactions, then the other members of `data`. */
export function* batchText(
  transactions: Iterable<BatchData['transactions'][number]>,
  others: Omit<BatchData, 'transactions'>,
): Steps<string> {
  const texts = ['{"data":{"transactions":['];
  let count = 0;
  for (const transaction of transactions) {
    if (count > 0) texts.push(',');
    texts.push(JSON.stringify(transaction));
    count += 1;
    if (count % transactionsPerStep === 0) yield;
  }
  texts.push('],', JSON.stringify(others).slice(1, -1), '},"status":', JSON.stringify(statusTexts.batch), '}');
  yield;
  // One text, copied once.
  return texts.join('');
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
