import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import { sendProblem } from './problem-replies.ts';

/** What is more than the service can take on. */
export interface OverloadOptions {
  /** The most requests in flight, over all routes. */
  mostInFlight: number;
  inFlight: () => number;
  /** The longest that the event loop may be late, in milliseconds. */
  longestDelay: number;
  delay: () => number;
  /** Told of each request that is turned away. */
  onShed: (reason: 'in_flight' | 'event_loop_delay') => void;
}

// One for all: it is made when there is no time to make any.
const overloaded = new AppError('overloaded', 'The service has more requests than it can take on. Try again.', {
  retryAfterSeconds: 1,
});

/**
 * Turns requests of a scope away with a 503 while there are more than the service can take on, so that those it took are served.
 *
 * Before anything is known of the request, its body unread and without a line of its own in the error log.
 */
export function shedOverload(scope: FastifyInstance, options: OverloadOptions): void {
  const { mostInFlight, inFlight, longestDelay, delay, onShed } = options;
  scope.addHook('onRequest', (request, reply, done) => {
    const isFull = inFlight() > mostInFlight;
    if (!isFull && delay() <= longestDelay) {
      done();
      return;
    }
    onShed(isFull ? 'in_flight' : 'event_loop_delay');
    sendProblem(request, reply, overloaded);
  });
}
