import { type BatchRequest, type KnownTransfers, type Pause, validateBatchRequest } from 'splwright-core';
import { holdsApiKey } from '../app/api-key.ts';
import type { FieldValues } from '../app/field-values.ts';
import { paths } from '../app/openapi/route-table.ts';
import { readBody } from '../app/read-body.ts';
import { describeFinding, invalidRequest } from '../app/refusal.ts';
import { assertKeyAllowsBatch } from '../keys/key-permission.ts';
import { type AppError, type DescribedFinding, isAppError } from '../problems.ts';
import { type AllowedBatch, type BatchReplyOptions, findingInWhole } from './batch-reply.ts';
import { isTransferRefused } from './transfer-refused.ts';

/** What is wrong with the body of a batch. */
export interface BatchFaults {
  findings: readonly DescribedFinding[];
  /** How many more unknown fields there are. */
  unlistedCount: number;
  /** The transfers that the chain can be asked about all the same. */
  known: KnownTransfers | undefined;
}

/** Reads a parsed JSON body as a batch: its shape, its texts, and whether a memo would publish an API key. Returns every fault. */
export async function readBatchRequest(body: unknown, pause: Pause): Promise<{ batch: BatchRequest } | BatchFaults> {
  const { values, findings, unlistedCount } = readBody(paths.batch, body);
  await pause();
  const { createTokenAccount = 'if_missing', ...inputs } = values;
  const { request, findings: faults, known } = await validateBatchRequest({ ...inputs, createTokenAccount }, pause);
  const described = faults.map((finding) => describeFinding(finding, 'memo'));
  await pause();
  const all = [...findings, ...described, ...findApiKeysIn(values)];
  return all.length === 0 && request ? { batch: request } : { findings: all, unlistedCount, known };
}

function findApiKeysIn({ transfers = [] }: FieldValues): readonly DescribedFinding[] {
  return transfers.flatMap(({ memo }, index) => {
    if (memo === undefined || !holdsApiKey(memo)) return [];
    const detail = `The memo of transfer ${index} has an API key in it, which everyone could read on chain. Send another memo.`;
    return [{ code: 'memo_holds_api_key' as const, pointer: `/transfers/${index}/memo`, detail }];
  });
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
  { findings, unlistedCount, known }: BatchFaults,
  batch: RefusedBatch,
  options: Pick<BatchReplyOptions, 'batchBuilder' | 'sandboxWorld'>,
): Promise<AppError> {
  const found = known ? await findOnChain(known, batch, options) : [];
  return invalidRequest([...findings, ...found], unlistedCount, batch.body);
}

async function findOnChain(
  known: KnownTransfers,
  { apiKey, work, countTransfers }: RefusedBatch,
  { batchBuilder, sandboxWorld }: Pick<BatchReplyOptions, 'batchBuilder' | 'sandboxWorld'>,
): Promise<readonly DescribedFinding[]> {
  const { request } = known;
  try {
    const amounts = request.transfers.map(({ amount }) => (typeof amount === 'bigint' ? amount : undefined));
    assertKeyAllowsBatch(apiKey.restrictions, request, amounts);
    await countTransfers(request.transfers.length);
    const findings = await batchBuilder.findTransferFaults(request, work);
    return findings.map((finding) =>
      describeFinding(findingInWhole(known, finding), 'memo', sandboxWorld !== undefined),
    );
  } catch (error) {
    if (isAppError(error) || isTransferRefused(error)) return [];
    throw error;
  }
}
