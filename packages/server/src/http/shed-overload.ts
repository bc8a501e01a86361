import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import { sendProblem } from './problem-replies.ts';

/** The load at which requests are refused. */
export interface OverloadOptions {
  /** How many requests may be handled at the same time. */
  maxInFlight: number;
  inFlight: () => number;
  /** How late the event loop may be. */
  maxDelayMs: number;
  delayMs: () => number;
  /** Called for each request that is refused. */
  onShed: (reason: 'in_flight' | 'event_loop_delay') => void;
}

// One error for all refusals: an overloaded service has no time to make one for each.
const overloaded = new AppError('overloaded', 'The service has more requests than it can take on. Try again.', {
  retryAfterSeconds: 1,
});

/**
 * Refuses requests of a scope with a 503 while the service is overloaded, so that those it has accepted are served.
 *
 * A request is refused before its key is checked and its body is read, and without a line in the error log.
 */
export function shedOverload(scope: FastifyInstance, options: OverloadOptions): void {
  const { maxInFlight, inFlight, maxDelayMs, delayMs, onShed } = options;
  scope.addHook('onRequest', (request, reply, done) => {
    const isFull = inFlight() >= maxInFlight;
    if (!isFull && delayMs() <= maxDelayMs) {
      done();
      return;
    }
    onShed(isFull ? 'in_flight' : 'event_loop_delay');
    sendProblem(request, reply, overloaded);
  });
  // Others may have started while the body of this one arrived.
  scope.addHook('preHandler', (request, reply, done) => {
    if (inFlight() < maxInFlight) {
      done();
      return;
    }
    onShed('in_flight');
    sendProblem(request, reply, overloaded);
  });
}

const tooManyLargeBodies = new AppError(
  'overloaded',
  'The service reads as many large bodies as it can take on. Try again, or send fewer transactions at once.',
  { retryAfterSeconds: 1 },
);

/**
 * Lets a scope work on only so many large bodies at the same time, and refuses further ones with a 503 before they are read.
 *
 * A body without a Content-Length counts as large. To be called after the hooks that check the key.
 */
export function limitLargeBodies(scope: FastifyInstance, limits: { aboveBytes: number; maxBodies: number }): void {
  const { aboveBytes, maxBodies } = limits;
  let count = 0;
  scope.addHook('onRequest', (request, reply, done) => {
    const length = request.headers['content-length'];
    if (length !== undefined && Number(length) <= aboveBytes) {
      done();
      return;
    }
    if (count >= maxBodies) {
      sendProblem(request, reply, tooManyLargeBodies);
      return;
    }
    count += 1;
    // Emitted after the last byte of the reply was handed over, or when the caller hung up.
    reply.raw.on('close', () => {
      count -= 1;
    });
    done();
  });
}
