import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.ts';
import type { RequestsInFlight } from './load/in-flight.ts';

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
