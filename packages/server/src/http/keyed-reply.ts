import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyedReply } from '../idempotency/keyed-requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the reply is one that was built for an earlier request with the same `Idempotency-Key`. */
    isReplay: boolean;
  }
}

/** Sends the reply to a request with an `Idempotency-Key`, and says whether it was built for an earlier one. */
export function sendKeyed(request: FastifyRequest, reply: FastifyReply, answered: KeyedReply): FastifyReply {
  if (answered.isReplay) {
    request.isReplay = true;
    reply.header('idempotency-replayed', 'true');
  }
  return reply.headers(answered.headers).type('application/json').send(answered.reply);
}
