import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import { readIdempotencyKey } from '../../idempotency/idempotency-key.ts';
import type { KeyedRequests } from '../../idempotency/keyed-requests.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import { paths } from '../../wire/routes.ts';
import { sendKeyed } from '../keyed-reply.ts';
import type { RequestsInFlight } from '../load/in-flight.ts';
import { limitLargeBodies } from '../load/large-bodies.ts';
import { workOf } from '../load/work-of.ts';
import { countItems } from '../rate-limit.ts';
import { registerRoutes } from '../register-routes.ts';
import { apiKeyOf } from '../require-api-key.ts';
import { lifetimeHeaders } from '../transfers/transfer-reply.ts';
import { assertKeyAllowsBatch } from './batch-permission.ts';
import { type BatchReplyOptions, buildBatchReply } from './batch-reply.ts';
import { answerKeyedBatch } from './keyed-batch.ts';
import { readBatchRequest } from './read-batch-request.ts';

/** What the route of batches uses. */
export interface BatchRouteOptions extends BatchReplyOptions {
  keyedRequests: KeyedRequests;
  inFlight: RequestsInFlight;
  limiter: RateLimiter;
  requestDeadlineMs: number;
  /** How large a body of the other routes may be. */
  bodyLimitBytes: number;
}

// Reading, deciding and building a thousand transfers takes some round trips of larger answers.
const deadlineFactor = 2;

/** Registers the path that builds batches. */
export function registerBatchRoutes(app: FastifyInstance, options: BatchRouteOptions): void {
  const { inFlight, limiter, requestDeadlineMs, bodyLimitBytes } = options;
  app.register(async (scope) => {
    limitLargeBodies(scope, bodyLimitBytes);
    registerRoutes(scope, {
      buildBatch: async (request, reply) => {
        const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
        if (request.body === undefined) {
          throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
        }
        const work = workOf(request);
        work.deadline = performance.now() + deadlineFactor * requestDeadlineMs;
        await work.next();
        const batch = await readBatchRequest(request.body, () => work.next());
        const apiKey = apiKeyOf(request);
        const amounts = batch.transfers.map(({ amount }) => (typeof amount === 'bigint' ? amount : undefined));
        assertKeyAllowsBatch(apiKey.restrictions, batch, amounts);
        await countItems(limiter, apiKey, reply, batch.transfers.length);
        const allowed = { batch, apiKey, work };
        if (idempotencyKey === undefined) {
          const { text, built } = await inFlight.countBuild(() => buildBatchReply(allowed, options));
          return reply.headers(lifetimeHeaders(built.lifetime)).type('application/json').send(text);
        }
        const id = { scope: apiKey.rootId, path: paths.batch, key: idempotencyKey };
        const keyed = { ...allowed, id, body: request.body };
        return sendKeyed(request, reply, await inFlight.countBuild(() => answerKeyedBatch(keyed, options)));
      },
    });
  });
}
