import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from '../errors.ts';
import { type RateLimitDecision, type RateLimiter, windowMilliseconds } from '../limits/rate-limiter.ts';
import { apiKeyOf } from './require-api-key.ts';

const windowSeconds = windowMilliseconds / 1000;

/** Holds the API keys on every route of a scope to their limits; the key must have been checked before. */
export function limitRate(scope: FastifyInstance, limiter: RateLimiter): void {
  // With a callback, not a promise: most decisions are there at once.
  scope.addHook('onRequest', (request, reply, done) => {
    const settle = (decision: RateLimitDecision | undefined): void => {
      if (decision) applyRateLimit(reply, decision);
      done();
    };
    const decision = limiter.take(apiKeyOf(request));
    if (decision instanceof Promise) decision.then(settle).catch(done);
    else settle(decision);
  });
}

/**
 * Tells the caller how the budget of its key stands, in the fields of draft-ietf-httpapi-ratelimit-headers-11.
 *
 * Throws an `AppError` of status 429 when the request is one too many.
 */
function applyRateLimit(reply: FastifyReply, decision: RateLimitDecision): void {
  const { isAllowed, limit, remaining } = decision;
  // Rounded up: who comes back then finds the window ended.
  const seconds = Math.ceil(decision.millisecondsLeft / 1000);
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
