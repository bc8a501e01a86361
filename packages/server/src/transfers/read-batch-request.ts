import {
  type BatchInputs,
  type BatchRequest,
  findingInWhole,
  type KnownTransfers,
  type Steps,
  validateBatchRequest,
} from 'splwright-core';
import type { Static } from 'typebox';
import type { Incomplete, Shape } from '../app/read-shape.ts';
import { allFaults, invalidRequest } from '../app/validate.ts';
import { assertKeyAllowsBatch } from '../keys/key-permission.ts';
import { type AppError, type DescribedFinding, isAppError } from '../problems.ts';
import { readSponsorRequest, type SponsorRequest } from '../sponsor/sponsor-fields.ts';
import type { AllowedBatch, BatchReplyOptions } from './batch-reply.ts';
import { findAmountFaults, findApiKey, transferInputs } from './read-transfer-request.ts';
import { isTransferRefused } from './transfer-refused.ts';
import type { batchBody } from './transfer-schema.ts';
import { describeFinding } from './words/finding-words.ts';

export interface BatchFaults {
  findings: readonly DescribedFinding[];
  /** The transfers that the chain can be asked about all the same. */
  known: KnownTransfers | undefined;
}

/** A body without faults. */
export interface ReadBatch {
  batch: BatchRequest;
  /** Absent where a wallet of the caller pays. */
  sponsored: SponsorRequest | undefined;
}

type BatchFields = Static<typeof batchBody>;

/** Reads the shape of a body as a batch: its texts, and whether a memo would publish an API key. Returns every fault. */
export function* readBatchRequest(shape: Shape<BatchFields>): Steps<ReadBatch | BatchFaults> {
  const { request, findings, known } = yield* validateBatchRequest(batchInputs(shape.values));
  const found = findings.map((finding) => describeFinding(finding, 'memo'));
  yield;
  const { sponsored, findings: ofSponsor } = readSponsorRequest(shape.values);
  const all = allFaults(shape, findAmounts(shape.values), [...found, ...findApiKeys(shape.values), ...ofSponsor]);
  return all.length === 0 && request ? { batch: request, sponsored } : { findings: all, known };
}

function batchInputs(values: Incomplete<BatchFields>): BatchInputs {
  return {
    ...transferInputs(values, values.create_token_account ?? 'if_missing'),
    transfers: values.transfers?.map((transfer) => ({
      to: transfer?.to_address,
      mint: transfer?.token_mint_address,
      amount: transfer?.amount,
      amountDecimal: transfer?.amount_decimal,
      memo: transfer?.memo,
      references: transfer?.references?.filter((each) => each !== undefined),
    })),
  };
}

function findAmounts({ transfers = [] }: Incomplete<BatchFields>): readonly DescribedFinding[] {
  return transfers.flatMap((transfer, index) => (transfer ? findAmountFaults(transfer, `/transfers/${index}`) : []));
}

function findApiKeys({ transfers = [] }: Incomplete<BatchFields>): readonly DescribedFinding[] {
  return transfers.flatMap((transfer, index) => findApiKey(transfer?.memo, `/transfers/${index}/memo`));
}

/** A batch to refuse. */
interface RefusedBatch extends Pick<AllowedBatch, 'apiKey' | 'work'> {
  /** Counts transfers towards the rate limit of the key. Throws an `AppError` of status 429. */
  countTransfers: (count: number) => Promise<void>;
  /** As it was parsed. */
  body: unknown;
}

/**
 * Returns the refusal of a batch: every fault of its body, and what the chain says against each of its other transfers.
 *
 * The chain is asked only as far as the API key may ask for these transfers; where it cannot be read, the faults of the body are all.
 */
export async function refuseBatch(
  { findings, known }: BatchFaults,
  batch: RefusedBatch,
  options: Pick<BatchReplyOptions, 'batchBuilder' | 'sandboxWorld'>,
): Promise<AppError> {
  const found = known ? await findOnChain(known, batch, options) : [];
  return invalidRequest([...findings, ...found], batch.body);
}

async function findOnChain(
  known: KnownTransfers,
  { apiKey, work, countTransfers }: RefusedBatch,
  { batchBuilder, sandboxWorld }: Pick<BatchReplyOptions, 'batchBuilder' | 'sandboxWorld'>,
): Promise<readonly DescribedFinding[]> {
  const { request } = known;
  try {
    const amounts = request.transfers.map(({ amount }) => (typeof amount === 'bigint' ? amount : undefined));
    assertKeyAllowsBatch(apiKey.restrictions, { batch: request, sponsored: undefined }, amounts);
    await countTransfers(request.transfers.length);
    const findings = await batchBuilder.findTransferFaults(request, work);
    return findings.map((finding) =>
      describeFinding(findingInWhole(known, finding), 'memo', { isOnSandbox: sandboxWorld !== undefined }),
    );
  } catch (error) {
    if (isAppError(error) || isTransferRefused(error)) return [];
    throw error;
  }
}
