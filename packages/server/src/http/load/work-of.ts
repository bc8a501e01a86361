import type { FastifyRequest } from 'fastify';
import { clientNetworkOf } from '../../keys/authentication/client-network.ts';
import { Work } from '../../work/work.ts';

/** A larger body takes long enough to be read in turns of the event loop. */
export const maxTurnBytes = 16_384;

const works = new WeakMap<FastifyRequest, Work>();

/**
 * Returns the work of a request, the same one each time. Its owner is the API key, or the client's network on routes without a key.
 *
 * It has no deadline before the route sets one. The work on a small body is short.
 */
export function workOf(request: FastifyRequest): Work {
  const known = works.get(request);
  if (known) return known;
  const made = new Work({
    owner: request.apiKey?.rootId ?? clientNetworkOf(request.ip),
    isShort: Number(request.headers['content-length']) <= maxTurnBytes,
    isClientGone: () => request.raw.socket.destroyed,
  });
  works.set(request, made);
  return made;
}

/** Returns the additional requests that an answered request counts as, by the cost of its work. */
export function furtherRequestsOf(request: FastifyRequest): number {
  return works.get(request)?.furtherRequests ?? 0;
}
