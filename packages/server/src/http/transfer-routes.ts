import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';
import { type Lifetime, requestedAmount, sentAmount } from 'splwright-core';
import { AppError } from '../errors.ts';
import type { DailyAmounts } from '../keys/usage/daily-amounts.ts';
import type { TransferBuilder } from '../service/transfer-builder.ts';
import { isTransferRefused } from '../service/transfer-refused.ts';
import { refusalOfTransfer } from '../wire/refusal.ts';
import { paths, type TransferPath } from '../wire/routes.ts';
import type { RequestsInFlight } from './in-flight.ts';
import { registerRoutes } from './register-routes.ts';
import { apiKeyOf } from './require-api-key.ts';
import { countDailyAmount, dailyLimitOf } from './transfer-requests/daily-limit.ts';
import { assertKeyAllows } from './transfer-requests/key-permission.ts';
import { readTransferRequest } from './transfer-requests/read-transfer-request.ts';
import { lifetimeToken, replyText } from './transfer-requests/reply-text.ts';

/** What the transfer routes use. */
export interface TransferRouteOptions {
  builder: TransferBuilder;
  inFlight: RequestsInFlight;
  dailyAmounts: DailyAmounts;
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
    if (request.body === undefined) {
      throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
    }
    const { operation, values, memoField, transfer } = readTransferRequest(path, request.body);
    const key = apiKeyOf(request);
    assertKeyAllows(key.restrictions, operation, transfer, requestedAmount(transfer));
    const deadline = performance.now() + options.requestDeadlineMs;
    const built = await options.inFlight
      .countBuild(() => options.builder.build(transfer, deadline, values.simulate))
      .catch((error: unknown) => {
        throw isTransferRefused(error) ? refusalOfTransfer(error.findings, memoField) : error;
      });
    const amount = sentAmount(built.plan);
    // Before the mint was read, a decimal amount had no base units yet.
    if (typeof transfer.amount !== 'bigint') assertKeyAllows(key.restrictions, operation, transfer, amount);
    const body = replyText(operation, values, built);
    // Counted last: only a transaction that is sent counts.
    const dailyLimit = dailyLimitOf(key, transfer);
    if (dailyLimit !== undefined) {
      const sent = { mint: transfer.mint, amount };
      await options.inFlight.countBuild(() => countDailyAmount(options.dailyAmounts, key, sent, dailyLimit));
    }
    setLifetimeHeaders(reply, built.lifetime);
    return reply.type('application/json').send(body);
  };
}

function setLifetimeHeaders(reply: FastifyReply, lifetime: Lifetime): void {
  reply.header('solana-blockhash', lifetimeToken(lifetime));
  // A nonce has no last block height: it is valid until it is advanced.
  if ('blockhash' in lifetime) {
    reply.header('solana-last-valid-block-height', lifetime.lastValidBlockHeight.toString());
  }
}
