import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { requestedAmount } from 'splwright-core';
import { AppError } from '../../errors.ts';
import { readIdempotencyKey } from '../../idempotency/idempotency-key.ts';
import type { KeyedRequests } from '../../idempotency/keyed-requests.ts';
import { paths, type TransferPath } from '../../wire/routes.ts';
import { sendKeyed } from '../keyed-reply.ts';
import type { RequestsInFlight } from '../load/in-flight.ts';
import { workOf } from '../load/work-of.ts';
import { registerRoutes } from '../register-routes.ts';
import { apiKeyOf } from '../require-api-key.ts';
import { assertKeyAllows } from './key-permission.ts';
import { answerKeyed } from './keyed-transfer.ts';
import { readTransferRequest } from './read-transfer-request.ts';
import { buildTransferReply, lifetimeHeaders, type TransferReplyOptions } from './transfer-reply.ts';

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
    if (request.body === undefined) {
      throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
    }
    const asked = readTransferRequest(path, request.body);
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
    const keyed = { id, body: request.body, asked, apiKey: key, work };
    return sendKeyed(request, reply, await options.inFlight.countBuild(() => answerKeyed(keyed, options)));
  };
}
