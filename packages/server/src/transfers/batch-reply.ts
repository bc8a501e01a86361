import {
  type BatchRequest,
  type BuiltBatch,
  type Finding,
  findingInWhole,
  indexInWhole,
  type KnownTransfers,
  summarizeBatch,
  summarizeSponsorFee,
  type Warning,
} from 'splwright-core';
import type { Metadata } from '../app/metadata.ts';
import { refusalOf } from '../app/validate.ts';
import type { Work } from '../app/work.ts';
import { type Progress, progressJson, sponsorFeesOf, transfersOf } from '../idempotency/batch-progress.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import { assertKeyAllowsBatch, assertKeyAllowsNonce } from '../keys/key-permission.ts';
import type { BuiltAmount } from '../keys/usage/daily-amounts.ts';
import type { DescribedFinding } from '../problems.ts';
import type { SponsorRequest } from '../sponsor/sponsor-fields.ts';
import { countedCosts } from '../sponsor/sponsored-lamports.ts';
import { type BatchBuilder, plannedOf } from './batch-builder.ts';
import { buildSponsored, type SponsorParts } from './build-sponsored.ts';
import type { BatchData } from './reply-schema.ts';
import {
  batchSummaryJson,
  batchText,
  lifetimeJson,
  messageHashOf,
  sponsorFeeJson,
  toBase64,
} from './transaction-replies.ts';
import { isTransferRefused } from './transfer-refused.ts';
import { describeFinding } from './words/finding-words.ts';

/** A batch that its API key allows; decimal amounts are checked once the mint is read. */
export interface AllowedBatch {
  batch: BatchRequest;
  /** Whether transfers that cannot be paid are left out, and named in the reply. */
  skipsRefused: boolean;
  metadata: Metadata | undefined;
  /** Absent where a wallet of the caller pays. */
  sponsored?: SponsorRequest | undefined;
  apiKey: AuthenticatedKey;
  work: Work;
}

export interface BatchReplyOptions {
  batchBuilder: BatchBuilder;
  /** Signs for `fee_payer: "sponsor"`; absent where there is none. */
  sponsoring?: SponsorParts | undefined;
  /** The world of the service's own sandbox; absent on a real network. */
  sandboxWorld?: object;
}

/** The body of a success, and what was built. */
export interface BatchReply {
  text: string;
  /** `undefined` where nothing of it can be paid now, and something was built before. */
  built: BuiltBatch | undefined;
  /** The transfers of each transaction, by their indices in the request. */
  transfers: readonly (readonly number[])[];
  /** What it moves, and costs a sponsor: not counted yet. */
  amounts: readonly BuiltAmount[];
}

const nothingYet: Progress = { landed: [], pending: [] };

/**
 * Builds a batch that its API key allows. Its caller counts the amounts towards the daily limits of the key, before it hands anything out.
 *
 * Transfers that have landed, or may still, are not built again, but named in the reply.
 *
 * Throws an `AppError`.
 */
export async function buildBatchReply(
  allowed: AllowedBatch,
  options: BatchReplyOptions,
  progress: Progress = nothingYet,
): Promise<BatchReply> {
  const { sponsored, metadata, apiKey, work } = allowed;
  const { part, built, refused } = await buildPayable(allowed, options, progress);
  const listed = refusedJson(refused);
  if (!built) return { text: describeBatchProgress(allowed, progress, listed), built, transfers: [], amounts: [] };
  // Before the mint was read, decimal amounts had no base units yet.
  const amounts = amountsOf(built);
  assertKeyAllowsBatch(apiKey.restrictions, { batch: part.request, sponsored }, amounts, part.indices);
  for (const { plan } of built.transactions) assertKeyAllowsNonce(apiKey.restrictions, plan);
  await work.next();
  const ofPart = summarizeBatch(built);
  const summary = { ...ofPart, warnings: ofPart.warnings.map((warning) => warningInWhole(part, warning)) };
  const transfers = built.transactions.map((each) => each.transfers.map((transfer) => indexInWhole(part, transfer)));
  await work.next();
  const text = batchText({
    transactions: built.bytes.map((bytes, index) => ({
      transaction: toBase64(bytes),
      message_hash: messageHashOf(bytes, summary),
      transfers: [...(transfers[index] ?? [])],
      signers: [...summary.signers],
      ...sponsorFeeOf(built.transactions[index]),
    })),
    ...progressJson(progress),
    ...(listed.length > 0 && { refused: listed }),
    ...(metadata && { metadata }),
    transaction_version: summary.transactionVersion,
    lifetime: lifetimeJson(built.transactions[0]?.plan.nonce, built.lifetime),
    summary: batchSummaryJson(summary),
  });
  const moved = summary.tokens.map((each) => ({ ...each, pointer: '/transfers' }));
  return { text, built, transfers, amounts: [...moved, ...built.costs] };
}

function amountsOf({ parts }: BuiltBatch): readonly bigint[] {
  const amounts: bigint[] = [];
  for (const { payments, indices } of parts) {
    for (const [index, { amount }] of payments.entries()) amounts[indices[index] ?? 0] = amount;
  }
  return amounts;
}

/** Returns the body of a reply to a batch in which nothing is new. */
export function describeBatchProgress(
  { batch: { version }, metadata }: Pick<AllowedBatch, 'batch' | 'metadata'>,
  progress: Progress,
  refused: BatchData['refused'] = [],
): string {
  return batchText({
    transactions: [],
    ...progressJson(progress),
    ...(refused.length > 0 && { refused }),
    ...(metadata && { metadata }),
    transaction_version: version,
  });
}

/** Returns what a transaction pays the sponsor, as the member `sponsor_fee` of it. */
export function sponsorFeeOf(
  transaction: BuiltBatch['transactions'][number] | undefined,
): ReturnType<typeof sponsorFeeJson> {
  return sponsorFeeJson(transaction && summarizeSponsorFee([transaction.plan]));
}

/** A transfer that is refused, by its index in the request, and one of the reasons. */
type RefusedTransfer = DescribedFinding & { index: number };

/**
 * Builds what of a batch is neither made nor refused, and returns that part of it.
 *
 * Throws the refusal of what cannot be paid unless that is skipped; what is wrong with the whole is never skipped.
 */
async function buildPayable(
  allowed: AllowedBatch,
  options: BatchReplyOptions,
  progress: Progress,
): Promise<{ part: KnownTransfers; built: SponsoredBatch | undefined; refused: readonly RefusedTransfer[] }> {
  const { batch, skipsRefused, sponsored } = allowed;
  const [isOnSandbox, isSponsored] = [options.sandboxWorld !== undefined, sponsored !== undefined];
  const scene = { isOnSandbox, isSponsored, hasVersion1: batch.version !== 1 && !isSponsored };
  const describe = (finding: Finding) => describeFinding(finding, 'memo', scene);
  const refused: RefusedTransfer[] = [];
  let part = partWithout(batch, transfersOf([...progress.landed, ...progress.pending]));
  while (part.indices.length > 0) {
    const built = await buildPart(part, progress, () => build({ ...allowed, batch: part.request }, progress, options));
    if (!('findings' in built)) return { part, built, refused };
    const whole = built.findings.filter(({ field }) => transferOf(field) === undefined);
    const ofTransfers = built.findings.flatMap((finding) => {
      const index = transferOf(finding.field);
      return index === undefined ? [] : [{ ...describe(finding), index }];
    });
    refused.push(...ofTransfers);
    if (!skipsRefused || ofTransfers.length === 0) throwRefusal([...whole.map(describe), ...refused]);
    const { landed, pending } = progress;
    const left = new Set(refused.map(({ index }) => index));
    part = partWithout(batch, [...transfersOf([...landed, ...pending]), ...left]);
  }
  if (progress.landed.length === 0 && progress.pending.length === 0) throwRefusal(refused);
  return { part, built: undefined, refused };
}

function throwRefusal([first, ...others]: readonly DescribedFinding[]): void {
  if (first) throw refusalOf([first, ...others]);
}

/** Builds a part of a batch, or returns why not, as findings about the whole. */
async function buildPart(
  part: KnownTransfers,
  { pending }: Progress,
  buildIt: () => Promise<SponsoredBatch>,
): Promise<SponsoredBatch | { findings: readonly Finding[] }> {
  try {
    const built = await buildIt();
    const { nonceAccount } = part.request;
    if (nonceAccount === undefined || pending.length === 0) return built;
    // Whichever landed first would be the end of the other.
    const context = { nonceAccount, transactionCount: pending.length + built.transactions.length };
    return { findings: [{ code: 'nonce_for_several_transactions', field: 'nonceAccount', context }] };
  } catch (error) {
    if (!isTransferRefused(error)) throw error;
    return { findings: error.findings.map((finding) => findingInWhole(part, finding)) };
  }
}

function transferOf(field: Finding['field']): number | undefined {
  return typeof field === 'object' && 'transfer' in field ? field.transfer : undefined;
}

function refusedJson(refused: readonly RefusedTransfer[]): NonNullable<BatchData['refused']> {
  return [...Map.groupBy(refused, ({ index }) => index)]
    .sort(([one], [other]) => one - other)
    .map(([index, findings]) => ({
      index,
      errors: findings.map(({ pointer, code, detail }) => ({ pointer, code, detail })),
    }));
}

/** Returns the transfers of a batch without some, by their indices. */
export function partWithout(request: BatchRequest, left: readonly number[]): KnownTransfers {
  const isLeft = new Set(left);
  const indices = [...request.transfers.keys()].filter((index) => !isLeft.has(index));
  const transfers = request.transfers.filter((_, index) => !isLeft.has(index));
  return { request: { ...request, transfers }, indices };
}

/** Returns a warning about a part as one about the whole batch. */
export function warningInWhole(part: KnownTransfers, warning: Warning): Warning {
  if (warning.code !== 'repeated_recipient') return warning;
  const transfers = warning.context.transfers.map((transfer) => indexInWhole(part, transfer));
  return { ...warning, context: { ...warning.context, transfers } };
}

/** A batch that was built, and what it costs a sponsor. */
interface SponsoredBatch extends BuiltBatch {
  costs: readonly BuiltAmount[];
}

async function build(
  { batch, sponsored, apiKey: { restrictions }, work }: AllowedBatch,
  progress: Progress,
  { batchBuilder, sponsoring }: BatchReplyOptions,
): Promise<SponsoredBatch> {
  if (!sponsored) return { ...(await batchBuilder.build(batch, work)), costs: [] };
  const { built, signed, costs } = await buildSponsored(
    { request: { ...sponsored, earlierFees: sponsorFeesOf(progress) }, restrictions, deadline: work.deadline },
    sponsoring,
    {
      request: batch,
      build: (request, askFees) => batchBuilder.build(request, work, askFees),
      draftsOf: (built) =>
        plannedOf(built).flatMap((planned, index) => {
          const bytes = built.bytes[index];
          return bytes ? [{ ...planned, bytes }] : [];
        }),
    },
  );
  return { ...built, bytes: signed, costs: [countedCosts(costs)] };
}
