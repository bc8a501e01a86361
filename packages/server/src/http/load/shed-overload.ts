import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';

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
  scope.addHook('onRequest', (_request, _reply, done) => {
    const isFull = inFlight() >= maxInFlight;
    if (!isFull && delayMs() <= maxDelayMs) {
      done();
      return;
    }
    onShed(isFull ? 'in_flight' : 'event_loop_delay');
    done(overloaded);
  });
  // Others may have started while the body of this one arrived.
  scope.addHook('preHandler', (_request, _reply, done) => {
    if (inFlight() < maxInFlight) {
      done();
      return;
    }
    onShed('in_flight');
    done(overloaded);
  });
}
