import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { requestedAmount, type TransferIntent } from 'splwright-core';
import { bodyOf } from '../app/json-body.ts';
import { paths, type TransferPath } from '../app/openapi/route-table.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import type { Work } from '../app/work.ts';
import { workOf } from '../app/work-of.ts';
import { hashBody, readIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { RequestId } from '../idempotency/idempotent-request.ts';
import type { KeyedReply, KeyedRequests } from '../idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import { assertKeyAllows } from '../keys/key-permission.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { registerRoutes } from '../serve/register-routes.ts';
import { type ReadTransferRequest, readTransferRequest } from './read-transfer-request.ts';
import { lifetimeHeaders, sendKeyed } from './transaction-replies.ts';
import { buildTransferReply, type TransferReplyOptions } from './transfer-reply.ts';

/** What the transfer routes use. */
export interface TransferRouteOptions extends TransferReplyOptions {
  keyedRequests: KeyedRequests;
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
}

/** Registers the paths that build transfers. */
export function registerTransferRoutes(app: FastifyInstance, options: TransferRouteOptions): void {
  registerRoutes(app, {
    buildTokenTransfer: transferHandler(paths.memoTransfer, options),
    buildCreateTokenAccountTransfer: transferHandler(paths.createTransfer, options),
    buildTransfer: transferHandler(paths.transfers, options),
  });
}

function transferHandler(path: TransferPath, options: TransferRouteOptions): RouteHandlerMethod {
  return async (request, reply) => {
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const body = bodyOf(request);
    const asked = readTransferRequest(path, body);
    const key = apiKeyOf(request);
    assertKeyAllows(key.restrictions, asked.operation, asked.transfer, requestedAmount(asked.transfer));
    const work = workOf(request);
    work.deadline = performance.now() + options.requestDeadlineMs;
    if (idempotencyKey === undefined) {
      const { text, built } = await options.inFlight.countBuild(() =>
        buildTransferReply(asked, key, work.deadline, options),
      );
      return reply.headers(lifetimeHeaders(built.lifetime)).type('application/json').send(text);
    }
    const id = { scope: key.rootId, path, key: idempotencyKey };
    const keyed = { id, body, asked, apiKey: key, work };
    return sendKeyed(request, reply, await options.inFlight.countBuild(() => answerKeyed(keyed, options)));
  };
}

/** A transfer with an `Idempotency-Key` that its API key allows; a decimal amount is checked once the mint is read. */
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
  const { operation, transfer } = asked;
  return options.keyedRequests.answer(
    {
      id,
      ...hashBody(body),
      work,
      build: async () => {
        const { text, built } = await buildTransferReply(asked, apiKey, work.deadline, options);
        const { bytes, lifetime } = built;
        const lastValidBlockHeight = 'blockhash' in lifetime ? lifetime.lastValidBlockHeight : undefined;
        return { reply: text, headers: lifetimeHeaders(lifetime), transactions: [{ bytes, lastValidBlockHeight }] };
      },
      // The limits of the API key may have changed since, and of a decimal amount only the transaction has the base units.
      assertAllowed: (intents) => assertKeyAllows(apiKey.restrictions, operation, transfer, amountOf(intents)),
    },
    work.deadline,
  );
}

function amountOf(intents: readonly TransferIntent[]): bigint {
  return intents.flatMap(({ payments }) => payments).reduce((sum, { amount }) => sum + amount, 0n);
}
