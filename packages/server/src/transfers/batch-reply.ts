import {
  type BatchRequest,
  type BuiltBatch,
  type Finding,
  type KnownTransfers,
  summarizeBatch,
  type Warning,
} from 'splwright-core';
import type { Work } from '../app/work.ts';
import type { LandedTransaction } from '../idempotency/idempotent-request.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import { assertKeyAllowsBatch } from '../keys/key-permission.ts';
import type { DailyAmounts } from '../keys/usage/daily-amounts.ts';
import type { BatchBuilder } from './batch-builder.ts';
import { batchSummaryJson, batchText, lifetimeJson, toBase64 } from './transaction-replies.ts';
import { isTransferRefused } from './transfer-refused.ts';
import { refusalOfTransfer } from './words/finding-words.ts';

/** A batch that its API key allows; decimal amounts are checked once the mint is read. */
export interface AllowedBatch {
  batch: BatchRequest;
  apiKey: AuthenticatedKey;
  work: Work;
}

/** What builds a batch and counts it. */
export interface BatchReplyOptions {
  batchBuilder: BatchBuilder;
  dailyAmounts: DailyAmounts;
  /** What the service's own sandbox has; absent on a real network. */
  sandboxWorld?: object;
}

/** The body of a success, and what was built. */
export interface BatchReply {
  text: string;
  built: BuiltBatch;
  /** The transfers of each transaction, by their indices in the request. */
  transfers: readonly (readonly number[])[];
}

/**
 * Builds a batch that its API key allows, and counts its amounts towards the daily limit of the key.
 *
 * Transfers that have `landed` are not built again, but named in the reply.
 *
 * Throws an `AppError`. Nothing is counted then, unless the store counted and only its answer was lost.
 */
export async function buildBatchReply(
  { batch, apiKey, work }: AllowedBatch,
  { batchBuilder, dailyAmounts, sandboxWorld }: BatchReplyOptions,
  landed: readonly LandedTransaction[] = [],
): Promise<BatchReply> {
  const part = unpaidPartOf(batch, landed);
  const built = await batchBuilder.build(part.request, work).catch((error: unknown) => {
    if (!isTransferRefused(error)) throw error;
    const [first, ...others] = error.findings;
    throw refusalOfTransfer(
      [findingInWhole(part, first), ...others.map((finding) => findingInWhole(part, finding))],
      'memo',
      sandboxWorld !== undefined,
    );
  });
  // Before the mint was read, decimal amounts had no base units yet.
  const amounts = built.payments.map(({ amount }) => amount);
  assertKeyAllowsBatch(apiKey.restrictions, part.request, amounts, part.indices);
  await work.next();
  const ofPart = summarizeBatch(built);
  const summary = { ...ofPart, warnings: ofPart.warnings.map((warning) => warningInWhole(part, warning)) };
  const transfers = built.transactions.map((each) => each.transfers.map((transfer) => indexInWhole(part, transfer)));
  await work.next();
  const text = batchText({
    transactions: built.bytes.map((bytes, index) => ({
      transaction: toBase64(bytes),
      transfers: [...(transfers[index] ?? [])],
      signers: [...summary.signers],
    })),
    ...(landed.length > 0 && {
      landed: landed.map(({ transfers, signature }) => ({ transfers: [...transfers], signature })),
    }),
    transaction_version: summary.transactionVersion,
    lifetime: lifetimeJson(built.transactions[0]?.plan.nonce, built.lifetime),
    summary: batchSummaryJson(summary),
  });
  // Counted last: only transactions that are sent count.
  await dailyAmounts.count(apiKey, { mint: batch.mint, amount: summary.amount, pointer: '/transfers' });
  return { text, built, transfers };
}

/** Returns the transfers of a batch that have not landed. */
export function unpaidPartOf(request: BatchRequest, landed: readonly LandedTransaction[]): KnownTransfers {
  const paid = new Set(landed.flatMap(({ transfers }) => transfers));
  const indices = [...request.transfers.keys()].filter((index) => !paid.has(index));
  const transfers = request.transfers.filter((_, index) => !paid.has(index));
  return { request: { ...request, transfers }, indices };
}

/** Returns the index in the whole batch of a transfer of a part. */
export function indexInWhole({ indices }: KnownTransfers, transfer: number): number {
  const index = indices[transfer];
  if (index === undefined) throw new RangeError(`a part of a batch has no transfer ${transfer}`);
  return index;
}

/** Returns a finding about a part as one about the whole batch. */
export function findingInWhole(part: KnownTransfers, finding: Finding): Finding {
  const { field } = finding;
  if (typeof field !== 'object' || !('transfer' in field)) return finding;
  return { ...finding, field: { ...field, transfer: indexInWhole(part, field.transfer) } };
}

/** Returns a warning about a part as one about the whole batch. */
export function warningInWhole(part: KnownTransfers, warning: Warning): Warning {
  if (warning.code !== 'repeated_recipient') return warning;
  const transfers = warning.context.transfers.map((transfer) => indexInWhole(part, transfer));
  return { ...warning, context: { ...warning.context, transfers } };
}
