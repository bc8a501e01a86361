import type { FastifyRequest } from 'fastify';
import { Turns } from '../service/turns.ts';

/** A larger body takes long enough to be read in turns of the event loop. */
export const maxBytesInOneTurn = 16_384;

const turns = new WeakMap<FastifyRequest, Turns>();

/** Returns the turns of the event loop in which all long work of a request is done; the work on a small body is short. */
export function turnsOf(request: FastifyRequest): Turns {
  const known = turns.get(request);
  if (known) return known;
  const isShort = Number(request.headers['content-length']) <= maxBytesInOneTurn;
  const made = new Turns({ isShort });
  turns.set(request, made);
  return made;
}
