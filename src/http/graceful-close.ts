import type { FastifyInstance } from 'fastify';
import type { RequestsInFlight } from './in-flight.ts';

/**
 * Makes `app.close()` answer every request that was accepted and then end all connections at once.
 *
 * Alone, the server would wait for kept-alive connections whose last request began before the close, and for those that
 * never sent one. What takes longer than `graceMilliseconds` is cut off.
 */
export function closeGracefully(app: FastifyInstance, inFlight: RequestsInFlight, graceMilliseconds: number): void {
  let isClosing = false;
  const endConnectionsWhenDone = (): void => {
    if (isClosing && inFlight.count === 0) app.server.closeAllConnections();
  };
  inFlight.onNone = endConnectionsWhenDone;

  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', (done) => {
    isClosing = true;
    const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMilliseconds);
    app.server.once('close', () => clearTimeout(cutOff));
    // After the listener is closed, which the server does next.
    setImmediate(endConnectionsWhenDone);
    done();
  });
}
