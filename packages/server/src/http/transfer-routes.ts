import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { requestedAmount } from 'splwright-core';
import { AppError } from '../errors.ts';
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { KeyedRequests } from '../idempotency/keyed-requests.ts';
import { paths, type TransferPath } from '../wire/routes.ts';
import type { RequestsInFlight } from './in-flight.ts';
import { registerRoutes } from './register-routes.ts';
import { apiKeyOf } from './require-api-key.ts';
import { assertKeyAllows } from './transfer-requests/key-permission.ts';
import { answerKeyed } from './transfer-requests/keyed-transfer.ts';
import { readTransferRequest } from './transfer-requests/read-transfer-request.ts';
import { buildTransferReply, lifetimeHeaders, type TransferReplyOptions } from './transfer-requests/transfer-reply.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the reply is one that was built for an earlier request with the same `Idempotency-Key`. */
    isReplay: boolean;
  }
}

/** What the transfer routes use. */
export interface TransferRouteOptions extends TransferReplyOptions {
  keyedRequests: KeyedRequests;
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
}

/** Registers the paths that build transfers. */
export function registerTransferRoutes(app: FastifyInstance, options: TransferRouteOptions): void {
  app.decorateRequest('isReplay', false);
  registerRoutes(app, {
    buildTokenTransfer: transferHandler(paths.memoTransfer, options),
    buildCreateTokenAccountTransfer: transferHandler(paths.createTransfer, options),
    buildTransfer: transferHandler(paths.transfers, options),
  });
}

function transferHandler(path: TransferPath, options: TransferRouteOptions): RouteHandlerMethod {
  return async (request, reply) => {
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    if (request.body === undefined) {
      throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
    }
    const asked = readTransferRequest(path, request.body);
    const key = apiKeyOf(request);
    assertKeyAllows(key.restrictions, asked.operation, asked.transfer, requestedAmount(asked.transfer));
    const deadline = performance.now() + options.requestDeadlineMs;
    if (idempotencyKey === undefined) {
      const { text, built } = await options.inFlight.countBuild(() =>
        buildTransferReply(asked, key, deadline, options),
      );
      return reply.headers(lifetimeHeaders(built.lifetime)).type('application/json').send(text);
    }
    const id = { scope: key.rootId, path, key: idempotencyKey };
    const keyed = { id, body: request.body, asked, apiKey: key, deadline };
    const answered = await options.inFlight.countBuild(() => answerKeyed(keyed, options));
    if (answered.isReplay) {
      request.isReplay = true;
      reply.header('idempotency-replayed', 'true');
    }
    return reply.headers(answered.headers).type('application/json').send(answered.reply);
  };
}
