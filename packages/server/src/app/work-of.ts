import type { FastifyRequest } from 'fastify';
import { clientNetworkOf } from './client-network.ts';
import { Work } from './work.ts';

/** How many times `REQUEST_DEADLINE_MS` a batch may take: a thousand transfers are some round trips of larger answers. */
export const batchDeadlineFactor = 2;

declare module 'fastify' {
  interface FastifyRequest {
    /** Its work, once `workOf` was called. */
    work: Work | null;
  }
}

/**
 * Returns the work of a request, the same one each time. Its owner is the API key, or the client's network on routes without a key.
 *
 * It has no deadline before `startWork`.
 */
export function workOf(request: FastifyRequest): Work {
  // A WeakMap would keep every request until the next full collection: the work refers to its request.
  request.work ??= new Work({
    owner: request.apiKey?.rootId ?? clientNetworkOf(request.ip),
    isClientGone: () => request.raw.socket.destroyed,
  });
  return request.work;
}

/** Returns the work of a request, which may take `maxMs` from now, less what it has waited for a place. */
export function startWork(request: FastifyRequest, maxMs: number): Work {
  const work = workOf(request);
  work.deadline = performance.now() + maxMs - work.waitedMs;
  return work;
}

/** Returns the additional requests that an answered request counts as, by the cost of its work. */
export function furtherRequestsOf(request: FastifyRequest): number {
  return request.work?.furtherRequests ?? 0;
}
