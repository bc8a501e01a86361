import { type BatchRequest, type BuiltBatch, summarizeBatch } from 'splwright-core';
import type { Deadline } from '../../chain/chain-reader.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import type { DailyAmounts } from '../../keys/usage/daily-amounts.ts';
import type { BatchBuilder } from '../../service/batch-builder.ts';
import { isTransferRefused } from '../../service/transfer-refused.ts';
import { batchSummaryJson, batchText } from '../../wire/batch-text.ts';
import { refusalOfTransfer } from '../../wire/refusal.ts';
import type { BatchData } from '../../wire/schemas/batch-schema.ts';
import { countDailyAmount } from '../transfer-requests/daily-limit.ts';
import { lifetimeJson, toBase64 } from '../transfer-requests/reply-text.ts';
import { assertKeyAllowsBatch } from './batch-permission.ts';

/** What builds a batch and counts it. */
export interface BatchReplyOptions {
  batchBuilder: BatchBuilder;
  dailyAmounts: DailyAmounts;
}

/** The body of a success, and what was built. */
export interface BatchReply {
  text: string;
  built: BuiltBatch;
}

/**
 * Builds the batch of a request that its key allows, and counts its amounts towards the daily limit of the key.
 *
 * Throws an `AppError`; nothing is counted then, unless only the answer of the store was lost.
 */
export async function buildBatchReply(
  request: BatchRequest,
  key: AuthenticatedKey,
  deadline: Deadline,
  { batchBuilder, dailyAmounts }: BatchReplyOptions,
): Promise<BatchReply> {
  const built = await batchBuilder.build(request, deadline).catch((error: unknown) => {
    throw isTransferRefused(error) ? refusalOfTransfer(error.findings, 'memo') : error;
  });
  // Before the mint was read, decimal amounts had no base units yet.
  const amounts = built.payments.map(({ payee }) => payee.amount);
  assertKeyAllowsBatch(key.restrictions, request, amounts);
  const summary = summarizeBatch(built);
  const text = batchText({
    transactions: transactionsJson(built, summary.signers),
    transaction_version: summary.transactionVersion,
    lifetime: lifetimeJson(built.transactions[0]?.plan.nonce, built.lifetime),
    summary: batchSummaryJson(summary),
  });
  // Counted last: only transactions that are sent count.
  const dailyLimit = key.restrictions.amounts?.get(request.mint)?.perDay ?? undefined;
  if (dailyLimit !== undefined) {
    await countDailyAmount(dailyAmounts, key, { mint: request.mint, amount: summary.amount }, dailyLimit);
  }
  return { text, built };
}

function transactionsJson({ transactions, bytes }: BuiltBatch, signers: readonly string[]): BatchData['transactions'] {
  return bytes.map((transaction, index) => ({
    transaction: toBase64(transaction),
    transfers: [...(transactions[index]?.transfers ?? [])],
    signers: [...signers],
  }));
}
