import { type BatchRequest, type BuiltBatch, summarizeBatchInSteps } from 'splwright-core';
import type { Deadline } from '../../chain/chain-reader.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import type { LandedTransaction } from '../../keys/store/idempotency/idempotency-store.ts';
import type { DailyAmounts } from '../../keys/usage/daily-amounts.ts';
import type { BatchBuilder } from '../../service/batch-builder.ts';
import { inTurns } from '../../service/next-turn.ts';
import { isTransferRefused } from '../../service/transfer-refused.ts';
import { batchSummaryJson, batchText } from '../../wire/batch-text.ts';
import { refusalOfTransfer } from '../../wire/refusal.ts';
import type { BatchData } from '../../wire/schemas/batch-schema.ts';
import { countDailyAmount } from '../transfer-requests/daily-limit.ts';
import { lifetimeJson, toBase64 } from '../transfer-requests/reply-text.ts';
import { assertKeyAllowsBatch } from './batch-permission.ts';
import { findingInWhole, indexInWhole, unpaidPartOf, warningInWhole } from './unpaid-part.ts';

/** What builds a batch and counts it. */
export interface BatchReplyOptions {
  batchBuilder: BatchBuilder;
  dailyAmounts: DailyAmounts;
}

/** The body of a success, and what was built. */
export interface BatchReply {
  text: string;
  built: BuiltBatch;
  /** The transfers of each transaction, by their indices in the request. */
  transfers: readonly (readonly number[])[];
}

/**
 * Builds the batch of a request that its key allows, and counts its amounts towards the daily limit of the key.
 *
 * What has `landed` of it is not built again, but named.
 *
 * Throws an `AppError`; nothing is counted then, unless only the answer of the store was lost.
 */
export async function buildBatchReply(
  request: BatchRequest,
  key: AuthenticatedKey,
  deadline: Deadline,
  { batchBuilder, dailyAmounts }: BatchReplyOptions,
  landed: readonly LandedTransaction[] = [],
): Promise<BatchReply> {
  const part = unpaidPartOf(request, landed);
  const built = await batchBuilder.build(part.request, deadline).catch((error: unknown) => {
    if (!isTransferRefused(error)) throw error;
    const [first, ...others] = error.findings;
    throw refusalOfTransfer(
      [findingInWhole(part, first), ...others.map((finding) => findingInWhole(part, finding))],
      'memo',
    );
  });
  // Before the mint was read, decimal amounts had no base units yet.
  const amounts = built.payments.map(({ payee }) => payee.amount);
  assertKeyAllowsBatch(key.restrictions, part.request, amounts, part.indices);
  const ofPart = await inTurns(summarizeBatchInSteps(built));
  const summary = { ...ofPart, warnings: ofPart.warnings.map((warning) => warningInWhole(part, warning)) };
  const transfers = built.transactions.map((each) => each.transfers.map((transfer) => indexInWhole(part, transfer)));
  const text = await inTurns(
    batchText(transactionsJson(built, transfers, summary.signers), {
      ...(landed.length > 0 && {
        landed: landed.map(({ transfers, signature }) => ({ transfers: [...transfers], signature })),
      }),
      transaction_version: summary.transactionVersion,
      lifetime: lifetimeJson(built.transactions[0]?.plan.nonce, built.lifetime),
      summary: batchSummaryJson(summary),
    }),
  );
  // Counted last: only transactions that are sent count.
  const dailyLimit = key.restrictions.amounts?.get(request.mint)?.perDay ?? undefined;
  if (dailyLimit !== undefined) {
    await countDailyAmount(dailyAmounts, key, { mint: request.mint, amount: summary.amount }, dailyLimit);
  }
  return { text, built, transfers };
}

// One after another, as they are asked for.
function* transactionsJson(
  { bytes }: BuiltBatch,
  transfers: readonly (readonly number[])[],
  signers: readonly string[],
): Generator<BatchData['transactions'][number]> {
  for (const [index, transaction] of bytes.entries()) {
    yield {
      transaction: toBase64(transaction),
      transfers: [...(transfers[index] ?? [])],
      signers: [...signers],
    };
  }
}
