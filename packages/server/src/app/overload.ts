import type { FastifyInstance } from 'fastify';
import { AppError } from '../problems.ts';

/** Counts the requests of all routes until their replies are sent, and those that are being built. */
export class RequestsInFlight {
  /** Called when the last one is answered. */
  onNone: () => void = () => undefined;
  #count = 0;
  #building = 0;

  /** How many requests are in flight. */
  get count(): number {
    return this.#count;
  }

  /** How many transfers are being built or looked for, without the replies that only wait to be read. */
  get building(): number {
    return this.#building;
  }

  /** Counts the requests of a server from now on. */
  countAll(app: FastifyInstance): void {
    app.addHook('onRequest', (_request, reply, done) => {
      this.#count += 1;
      // Emitted after the last byte was handed over, or when the caller hung up.
      reply.raw.on('close', () => {
        this.#count -= 1;
        if (this.#count === 0) this.onNone();
      });
      done();
    });
  }

  /** Runs `work`, and counts it as being built until its promise settles. */
  countBuild<T>(work: () => Promise<T>): Promise<T> {
    this.#building += 1;
    const built = work();
    built.then(this.#ended, this.#ended);
    return built;
  }

  readonly #ended = (): void => {
    this.#building -= 1;
  };
}

const sampleMs = 100;

/**
 * Measures ten times a second how long a callback that is ready waits for its turn in the event loop.
 *
 * The smaller of the last two samples counts, since a single long turn is no overload.
 */
export class EventLoopDelay {
  readonly #timer: NodeJS.Timeout;
  #dueAt: number;
  #latest = 0;
  #previous = 0;

  constructor() {
    this.#dueAt = performance.now() + sampleMs;
    this.#timer = setInterval(() => this.#sample(), sampleMs).unref();
  }

  /** The delay. */
  get delayMs(): number {
    return Math.min(this.#latest, this.#previous);
  }

  /** Ends the sampling. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const now = performance.now();
    this.#previous = this.#latest;
    this.#latest = Math.max(0, now - this.#dueAt);
    this.#dueAt = now + sampleMs;
  }
}

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
const overloaded = new AppError('overloaded', 'The service is overloaded. Try again.', {
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
