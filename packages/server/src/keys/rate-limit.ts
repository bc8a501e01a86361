import type { FastifyInstance, FastifyReply } from 'fastify';
import { type LimitedKey, type RateLimitDecision, type RateLimiter, windowMs } from '../app/limits/rate-limiter.ts';
import { furtherRequestsOf } from '../app/work-of.ts';
import { AppError } from '../problems.ts';
import { apiKeyOf } from './require-api-key.ts';

const windowSeconds = windowMs / 1000;

/**
 * Limits the rate of each API key on every route of a scope; the key must have been checked before.
 *
 * The cost that is known only once a request is answered counts against later requests.
 */
export function limitRate(scope: FastifyInstance, limiter: RateLimiter): void {
  scope.addHook('onRequest', (request, reply, done) => {
    const decision = limiter.take(apiKeyOf(request));
    if (decision instanceof Promise) {
      decision.then((decided) => applyRateLimit(reply, decided)).then(() => done(), done);
      return;
    }
    if (decision) applyRateLimit(reply, decision);
    done();
  });
  scope.addHook('onResponse', (request, _reply, done) => {
    const further = furtherRequestsOf(request);
    if (further > 0) limiter.take(apiKeyOf(request), further);
    done();
  });
}

// In processor time ten transfers of a batch cost about as much as one request; ten outcomes are looked for with about as many
// calls as one with all of its history.
const itemsPerRequest = 10;

/**
 * Counts a request of many items as one for each ten, rounded up, once its body is known: the first was counted before.
 *
 * Throws an `AppError` of status 429 when the limit is exceeded.
 */
export async function countItems(
  limiter: RateLimiter,
  key: LimitedKey,
  reply: FastifyReply,
  itemCount: number,
): Promise<void> {
  const further = Math.ceil(itemCount / itemsPerRequest) - 1;
  const decision = further > 0 ? await limiter.take(key, further) : undefined;
  if (decision) applyRateLimit(reply, decision);
}

/**
 * Sets the headers of draft-ietf-httpapi-ratelimit-headers-11, which tell the caller the state of its limit.
 *
 * Throws an `AppError` of status 429 when the limit is exceeded.
 */
function applyRateLimit(reply: FastifyReply, decision: RateLimitDecision): void {
  const { isAllowed, limit, remaining } = decision;
  // Rounded up, so that the window has ended when the caller retries.
  const seconds = Math.ceil(decision.remainingMs / 1000);
  reply.header('ratelimit-policy', `"default";q=${limit};w=${windowSeconds}`);
  reply.header('ratelimit', `"default";r=${remaining};t=${seconds}`);
  if (isAllowed) return;
  throw new AppError(
    'rate_limited',
    `This API key may make ${limit} ${limit === 1 ? 'request' : 'requests'} per minute, and has made them all. ` +
      `Come back in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfterSeconds: seconds },
  );
}
