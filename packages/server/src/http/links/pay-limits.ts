import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { clientNetworkOf } from '../../keys/authentication/client-network.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';

/** How many requests a payer may make. */
export interface PayLimitOptions {
  limiter: RateLimiter;
  /** Requests per minute of one client network; 0 for no limit. */
  perMinute: number;
}

// Many payers may use one link.
const linkFactor = 10;
// A page asks for its state every two seconds, and many pages may be behind one address.
const pollFactor = 10;

/**
 * Limits the rate of requests to every route of a scope, by the network of the client and by the id in the path.
 *
 * Requests that only ask for a state or an image have a limit of their own, which is ten times as high.
 */
export function limitPayers(scope: FastifyInstance, { limiter, perMinute }: PayLimitOptions): void {
  if (perMinute === 0) return;
  const take = async (id: string, limit: number): Promise<void> => {
    const decision = await limiter.take({ id, rateLimitPerMinute: limit });
    if (!decision || decision.isAllowed) return;
    const seconds = Math.ceil(decision.remainingMs / 1000);
    throw new AppError(
      'rate_limited',
      `Too many requests came from this address, or for this link. Come back in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      { retryAfterSeconds: seconds },
    );
  };
  scope.addHook('onRequest', async (request) => {
    const isPoll = isPolled(request);
    const [kind, limit] = isPoll ? ['poll', perMinute * pollFactor] : ['pay', perMinute];
    // The network first: a client that has used up its own part does not use up that of a link.
    await take(`${kind}:address:${clientNetworkOf(request.ip)}`, limit);
    const { id } = Object(request.params);
    if (typeof id === 'string') await take(`${kind}:link:${id.slice(0, maxIdLength)}`, limit * linkFactor);
  });
}

// Longer than any id, so that no text of a client is kept whole.
const maxIdLength = 20;

function isPolled({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/pay/:id/') === true;
}
