import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { type BatchRequest, resolveAmount, type TransferIntent } from 'splwright-core';
import { bodyOf } from '../app/json-body.ts';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import { readMetadata } from '../app/metadata.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import { shapeOf } from '../app/validate.ts';
import { batchDeadlineFactor, startWork } from '../app/work-of.ts';
import { hashBody, readIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { RequestId } from '../idempotency/idempotent-request.ts';
import type { KeyedReply, KeyedRequests } from '../idempotency/keyed-requests.ts';
import { assertKeyAllowsBatch, assertKeyAllowsSigners } from '../keys/key-permission.ts';
import { countItems } from '../keys/rate-limit.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { type DailyAmounts, dailyAdditionsOf } from '../keys/usage/daily-amounts.ts';
import {
  type AllowedBatch,
  type BatchReplyOptions,
  buildBatchReply,
  describeBatchProgress,
  sponsorFeeOf,
} from './batch-reply.ts';
import { readBatchRequest, refuseBatch } from './read-batch-request.ts';
import { replySchemas } from './reply-schema.ts';
import { samplePrograms } from './sample-programs.ts';
import { lifetimeHeaders, sendKeyed } from './transaction-replies.ts';
import { buildRoute } from './transfer-routes.ts';
import { batchBody, exampleBatch, paths } from './transfer-schema.ts';

export interface BatchRouteOptions extends BatchReplyOptions {
  dailyAmounts: DailyAmounts;
  keyedRequests: KeyedRequests;
  inFlight: RequestsInFlight;
  limiter: RateLimiter;
  requestDeadlineMs: number;
}

/** Registers the path that builds batches. */
export function registerBatchRoutes(app: FastifyInstance, options: BatchRouteOptions): void {
  const { inFlight, limiter, requestDeadlineMs } = options;
  app.withTypeProvider<TypeBoxTypeProvider>().post(paths.batch, batchRoute, async (request, reply) => {
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const body = bodyOf(request);
    const work = startWork(request, batchDeadlineFactor * requestDeadlineMs);
    await work.next();
    const shape = shapeOf(request);
    const read = await work.run(readBatchRequest(shape));
    const apiKey = apiKeyOf(request);
    const countTransfers = (count: number) => countItems(limiter, apiKey, reply, count);
    if ('findings' in read) {
      throw await inFlight.countBuild(() => refuseBatch(read, { apiKey, work, countTransfers, body }, options));
    }
    const { batch, sponsored } = read;
    const amounts = batch.transfers.map(({ amount }) => (typeof amount === 'bigint' ? amount : undefined));
    assertKeyAllowsBatch(apiKey.restrictions, read, amounts);
    await countTransfers(batch.transfers.length);
    const allowed = {
      batch,
      sponsored,
      skipsRefused: shape.values.skip_refused ?? false,
      metadata: readMetadata(shape.values.metadata),
      apiKey,
      work,
    };
    if (idempotencyKey === undefined) {
      const { text, built } = await inFlight.countBuild(async () => {
        const done = await buildBatchReply(allowed, options);
        await options.dailyAmounts.count(apiKey, ...done.amounts);
        return done;
      });
      const headers = built ? lifetimeHeaders(built.lifetime) : {};
      return reply.headers(headers).type('application/json').send(text);
    }
    const id = { scope: apiKey.rootId, path: paths.batch, key: idempotencyKey };
    const keyed = { ...allowed, id, body };
    return sendKeyed(request, reply, await inFlight.countBuild(() => answerKeyedBatch(keyed, options)));
  });
}

// 1,000 transfers, each with a memo and references, with space between them.
const batchBodyLimitBytes = 2_097_152;

const batchRoute = {
  ...buildRoute({
    operationId: 'buildBatch',
    summary: 'Build a batch',
    description:
      'Builds transfers by one sender to up to 1,000 recipients, in as few transactions as their sizes allow, of one mint each. Each ' +
      'transaction stands by itself: all of them land in any order, also when some are never sent. Every fault of every transfer ' +
      'is reported at once. Counts as one request for each 10 transfers.',
    body: batchBody,
    reply: replySchemas.batch,
    operations: ['batch'],
    'x-codeSamples': samplePrograms(paths.batch, JSON.stringify(exampleBatch, undefined, 2)),
  }),
  bodyLimit: batchBodyLimitBytes,
  config: { place: 'large' as const },
};

/** An allowed batch with an `Idempotency-Key`. */
export interface KeyedBatch extends AllowedBatch {
  id: RequestId;
  /** As it was parsed. */
  body: unknown;
}

/**
 * Answers the first request under an `Idempotency-Key` with a new batch, and each retry by the rules of `idempotency/`.
 *
 * A retry gets the same reply while all of its transactions can still land. Then it gets what became of them, and new ones for what has
 * not landed and never can.
 */
export async function answerKeyedBatch(
  keyed: KeyedBatch,
  options: BatchReplyOptions & { keyedRequests: KeyedRequests },
): Promise<KeyedReply> {
  const { id, body, batch, sponsored, metadata, apiKey, work } = keyed;
  await work.next();
  return options.keyedRequests.answer(
    {
      id,
      // With `skip_refused` or without it, it is the same request.
      ...hashBody(Object.assign({}, body, { skip_refused: null })),
      work,
      metadata,
      batch: {
        transferCount: batch.transfers.length,
        describe: (progress) => describeBatchProgress(keyed, progress),
      },
      build: async (progress) => {
        const { text, built, transfers, amounts } = await buildBatchReply(keyed, options, progress);
        if (!built) return { reply: text, headers: {}, transactions: [] };
        const { lifetime } = built;
        const lastValidBlockHeight = 'blockhash' in lifetime ? lifetime.lastValidBlockHeight : undefined;
        const transactions = built.bytes.map((bytes, index) => ({
          bytes,
          lastValidBlockHeight,
          transfers: transfers[index] ?? [],
          sponsorFee: sponsorFeeOf(built.transactions[index]).sponsor_fee,
        }));
        const counted = (atMs: number) => dailyAdditionsOf(apiKey, amounts, atMs);
        return { reply: text, headers: lifetimeHeaders(lifetime), transactions, counted };
      },
      // The limits of the API key may have changed since, and of decimal amounts only the transactions have the base units.
      assertAllowed: (intents) => {
        assertKeyAllowsBatch(apiKey.restrictions, { batch, sponsored }, amountsOf(batch, intents));
        assertKeyAllowsSigners(apiKey.restrictions, intents);
      },
    },
    work.deadline,
  );
}

function amountsOf(batch: BatchRequest, intents: readonly TransferIntent[]): readonly (bigint | undefined)[] {
  return batch.transfers.map(({ amount, mint = batch.mint }) => {
    const intent = intents.find((each) => each.mint === mint);
    const resolved = intent ? resolveAmount(amount, intent.decimals) : undefined;
    return resolved && 'baseUnits' in resolved ? resolved.baseUnits : undefined;
  });
}
