import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { RequestsInFlight } from './overload.ts';

/**
 * Stops a service without losing a request, in steps that its owner takes:
 *
 * 1. `run`: requests are answered, `/readyz` fails, and every reply tells its connection to close.
 * 2. Replies are held back until `arrivals` stays the same. A client that waits for a reply opens no connection, and connections
 *    that the listener has not accepted when it closes would be reset, with their requests.
 * 3. The service is closed; `listenerClosed` resolves.
 * 4. `release`: the replies are sent.
 */
export class Drain {
  readonly #closed = Promise.withResolvers<void>();
  #isDraining = false;
  #arrivals = 0;
  #held: PromiseWithResolvers<void> | undefined;

  /** Whether the service has begun to stop. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How many connections and requests have arrived since the service began to stop. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Resolves once the service accepts no new connections. */
  get listenerClosed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Counts the connections and requests of a server, and controls its replies. */
  watch(app: FastifyInstance): void {
    const count = (): void => {
      if (this.#isDraining) this.#arrivals += 1;
    };
    app.server.on('connection', count);
    app.server.on('request', count);
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (!this.#isDraining) {
        done(null, payload);
        return;
      }
      reply.header('connection', 'close');
      if (this.#held) void this.#held.promise.then(() => done(null, payload));
      else done(null, payload);
    });
  }

  /** Tells connections to close, and after `drainMs`, or when `hurry` is aborted, holds replies back. */
  async run(drainMs: number, hurry: AbortSignal): Promise<void> {
    this.#isDraining = true;
    await setTimeoutPromise(drainMs, undefined, { signal: hurry }).catch(() => undefined);
    this.#held = Promise.withResolvers<void>();
  }

  /** Notes that the listener is closed. */
  close(): void {
    this.#isDraining = true;
    this.#closed.resolve();
  }

  /** Sends the replies that are held back. */
  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }
}

/** How long an idle connection stays open after a drain: a request may be on its way. */
const lingerMs = 100;

/**
 * Makes `app.close()` answer every accepted request and then close all connections at once.
 *
 * By itself the server would wait for kept-alive connections whose last request began before the close, and for those that
 * never sent one. Requests that take longer than `graceMs` are cut off.
 */
export function closeGracefully(
  app: FastifyInstance,
  { inFlight, drain, graceMs }: { inFlight: RequestsInFlight; drain: Drain; graceMs: number },
): void {
  let mayEnd = false;
  const endConnectionsWhenDone = (): void => {
    if (mayEnd && inFlight.count === 0) app.server.closeAllConnections();
  };
  inFlight.onNone = endConnectionsWhenDone;
  drain.watch(app);

  app.addHook('preClose', (done) => {
    const endLater = drain.isDraining ? lingerMs : 0;
    const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
    app.server.once('close', () => clearTimeout(cutOff));
    // After the listener is closed, which the server does next.
    setImmediate(() => {
      drain.close();
      setTimeout(() => {
        mayEnd = true;
        endConnectionsWhenDone();
      }, endLater);
    });
    done();
  });
}
