import type { FastifyInstance } from 'fastify';

/**
 * Makes `app.close()` answer every request that was accepted and then end all connections at once.
 *
 * Alone, the server would wait for kept-alive connections whose last request began before the close, and for those that
 * never sent one. What takes longer than `graceMilliseconds` is cut off.
 */
export function closeGracefully(app: FastifyInstance, graceMilliseconds: number): void {
  let isClosing = false;
  let inFlight = 0;
  const endConnectionsWhenDone = (): void => {
    if (isClosing && inFlight === 0) app.server.closeAllConnections();
  };

  app.addHook('onRequest', (_request, reply, done) => {
    inFlight += 1;
    // Comes after the last byte was handed over, or when the caller hung up.
    reply.raw.once('close', () => {
      inFlight -= 1;
      endConnectionsWhenDone();
    });
    done();
  });
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
