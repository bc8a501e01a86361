import type { FastifyReply } from 'fastify';
import { AppError } from '../errors.ts';
import { type RateLimitDecision, windowMilliseconds } from '../limits/rate-limiter.ts';

const windowSeconds = windowMilliseconds / 1000;

/**
 * Tells the caller how the budget of its key stands, in the fields of draft-ietf-httpapi-ratelimit-headers-11.
 *
 * Throws an `AppError` of status 429 when the request is one too many.
 */
export function applyRateLimit(reply: FastifyReply, decision: RateLimitDecision): void {
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
