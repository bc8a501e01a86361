import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestedAmount, sol, type TransferIntent, type TransferRequest } from 'splwright-core';
import type { TSchema } from 'typebox';
import { bodyOf } from '../app/json-body.ts';
import { readMetadata } from '../app/metadata.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import type { Shape } from '../app/read-shape.ts';
import { idempotencyHeaders, keyedHeaders, refusalsOf, replayedHeader, replyOf } from '../app/route-schema.ts';
import { refusalOf, shapeOf } from '../app/validate.ts';
import type { Work } from '../app/work.ts';
import { startWork } from '../app/work-of.ts';
import { hashBody, readIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { RequestId } from '../idempotency/idempotent-request.ts';
import type { KeyedReply, KeyedRequests } from '../idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import { assertKeyAllows, assertKeyAllowsSigners } from '../keys/key-permission.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { type DailyAmounts, dailyAdditionsOf } from '../keys/usage/daily-amounts.ts';
import type { TransferOperation } from '../operation.ts';
import type { AppError } from '../problems.ts';
import { type ReadTransferRequest, readTransferRequest, type SinglePath } from './read-transfer-request.ts';
import { replyExample } from './reply-examples.ts';
import { replySchemas, tokenTransferReply } from './reply-schema.ts';
import { type SampleProgram, samplePrograms } from './sample-programs.ts';
import { lifetimeHeaderSchemas, lifetimeHeaders, sendKeyed } from './transaction-replies.ts';
import { buildTransferReply, type TransferReplyOptions } from './transfer-reply.ts';
import {
  createTransferBody,
  exampleOfTokens,
  paths,
  type TransferFields,
  tokenTransferBody,
  transferBody,
} from './transfer-schema.ts';

export interface TransferRouteOptions extends TransferReplyOptions {
  dailyAmounts: DailyAmounts;
  keyedRequests: KeyedRequests;
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
}

/** Registers the paths that pay one recipient. */
export function registerTransferRoutes(app: FastifyInstance, options: TransferRouteOptions): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const answer = (path: SinglePath, shape: Shape<TransferFields>, request: FastifyRequest, reply: FastifyReply) =>
    answerTransfer({ path, shape, request, reply }, options);
  routes.post(
    paths.transfers,
    buildRoute({
      operationId: 'buildTransfer',
      summary: 'Build a transfer',
      description:
        'Builds a transfer with or without a memo, with splits to others, creating token accounts only where they are missing. ' +
        'Every reply has the same shape. Start here.',
      body: transferBody,
      reply: replySchemas.transfer,
      operations: ['transfer'],
      'x-codeSamples': samplePrograms(paths.transfers, JSON.stringify(exampleOfTokens, undefined, 2)),
    }),
    (request, reply) => answer(paths.transfers, shapeOf(request), request, reply),
  );
  routes.post(
    paths.memoTransfer,
    buildRoute({
      operationId: 'buildTokenTransfer',
      summary: 'Build with memo',
      description:
        'Builds a transfer between two existing token accounts, with a memo directly before it. With `memo` the reply ' +
        'includes the blockhash; with `yid`, an identifier that becomes the memo, it does not.',
      body: tokenTransferBody,
      reply: tokenTransferReply,
      operations: ['memo_transfer', 'yid_transfer'],
    }),
    (request, reply) => answer(paths.memoTransfer, shapeOf(request), request, reply),
  );
  routes.post(
    paths.createTransfer,
    buildRoute({
      operationId: 'buildCreateTokenAccountTransfer',
      summary: 'Create and transfer',
      description:
        "Builds a transfer that first creates the recipient's token account. If the account exists when the transaction lands, " +
        'nothing is created and no rent is paid.',
      body: createTransferBody,
      reply: replySchemas.create_transfer,
      operations: ['create_transfer'],
    }),
    (request, reply) => answer(paths.createTransfer, shapeOf(request), request, reply),
  );
}

interface BuildRoute<Body extends TSchema> {
  operationId: string;
  summary: string;
  description: string;
  body: Body;
  reply: TSchema;
  operations: readonly TransferOperation[];
  'x-codeSamples'?: readonly SampleProgram[];
}

/** Returns the options of a route that builds transfers. Its handler refuses a body, with the faults that no schema says. */
export function buildRoute<Body extends TSchema>({ reply, operations, ...described }: BuildRoute<Body>) {
  const examples = Object.fromEntries(operations.map((each) => [each, { value: replyExample(each) }]));
  const headers = { ...lifetimeHeaderSchemas, ...replayedHeader, ...keyedHeaders };
  return {
    attachValidation: true,
    schema: {
      ...described,
      tags: ['Transfers'],
      headers: idempotencyHeaders,
      response: {
        200: replyOf('The unsigned transaction.', reply, { headers, examples }),
        ...refusalsOf(['keyed', 'transfer']),
      },
    },
  };
}

/** A body as it arrived at a path, and where to send the reply. */
interface ArrivedTransfer {
  path: SinglePath;
  shape: Shape<TransferFields>;
  request: FastifyRequest;
  reply: FastifyReply;
}

async function answerTransfer(
  { path, shape, request, reply }: ArrivedTransfer,
  options: TransferRouteOptions,
): Promise<FastifyReply> {
  const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
  const body = bodyOf(request);
  const asked = readTransferRequest(path, shape, body);
  if (idempotencyKey !== undefined && asked.transfer.isFromVault) throw notKeyed();
  const key = apiKeyOf(request);
  assertKeyAllows(key.restrictions, asked.operation, asked, requestedAmount(asked.transfer));
  const work = startWork(request, options.requestDeadlineMs);
  if (idempotencyKey === undefined) {
    const { text, built } = await options.inFlight.countBuild(async () => {
      const done = await buildTransferReply(asked, key, work.deadline, options);
      await options.dailyAmounts.count(key, ...done.amounts);
      return done;
    });
    return reply.headers(lifetimeHeaders(built.lifetime)).type('application/json').send(text);
  }
  const id = { scope: key.rootId, path, key: idempotencyKey };
  const keyed = { id, body, asked, apiKey: key, work };
  return sendKeyed(request, reply, await options.inFlight.countBuild(() => answerKeyed(keyed, options)));
}

// A retry gets a new transaction once the first can no longer land, which a proposal always can.
function notKeyed(): AppError {
  const detail =
    'A transfer from a vault takes no Idempotency-Key: a proposal can be executed long after its blockhash has expired. Leave it out, and ' +
    'import each payment once.';
  return refusalOf([{ code: 'invalid_value', pointer: '/allow_off_curve_sender', detail }]);
}

/** A transfer with an `Idempotency-Key` that its API key allows; an amount that is not in base units is checked once the chain is read. */
export interface KeyedTransfer {
  id: RequestId;
  /** As it was parsed. */
  body: unknown;
  asked: ReadTransferRequest;
  apiKey: AuthenticatedKey;
  work: Work;
}

/** Answers the first request under an `Idempotency-Key` with a new transfer, and each retry by the rules of `idempotency/`. */
export function answerKeyed(
  { id, body, asked, apiKey, work }: KeyedTransfer,
  options: TransferReplyOptions & { keyedRequests: KeyedRequests },
): Promise<KeyedReply> {
  return options.keyedRequests.answer(
    {
      id,
      ...hashBody(body),
      work,
      metadata: readMetadata(asked.values.metadata),
      keepsAmount: asked.transfer.amount === 'max',
      build: async (_progress, before) => {
        const amount = before && amountToRecipient(asked.transfer, before);
        const transfer = { ...asked.transfer, ...(amount !== undefined && { amount }) };
        const { text, built, amounts } = await buildTransferReply(
          { ...asked, transfer },
          apiKey,
          work.deadline,
          options,
        );
        const { bytes, lifetime } = built;
        const lastValidBlockHeight = 'blockhash' in lifetime ? lifetime.lastValidBlockHeight : undefined;
        return {
          reply: text,
          headers: lifetimeHeaders(lifetime),
          transactions: [{ bytes, lastValidBlockHeight }],
          counted: (atMs) => dailyAdditionsOf(apiKey, amounts, atMs),
        };
      },
      // The limits of the API key may have changed since, and of some amounts only the transaction has the base units.
      assertAllowed: (intents) => {
        assertKeyAllows(apiKey.restrictions, asked.operation, asked, amountOf(asked.transfer, intents));
        assertKeyAllowsSigners(apiKey.restrictions, intents);
      },
    },
    work.deadline,
  );
}

// What a sponsor gets is no part of it.
function amountOf(transfer: TransferRequest, [intent]: readonly TransferIntent[]): bigint | undefined {
  const amount = intent && amountToRecipient(transfer, intent);
  return amount === undefined ? undefined : requestedAmount({ ...transfer, amount });
}

// The last payment; but a sender of SOL that pays the tip pays that after it.
function amountToRecipient({ mint, tip, from, feePayer }: TransferRequest, { payments }: TransferIntent) {
  return payments.at(mint === sol && tip && from === feePayer ? -2 : -1)?.amount;
}
