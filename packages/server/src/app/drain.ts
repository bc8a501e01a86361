import type { FastifyInstance } from 'fastify';
import type { RequestsInFlight } from './overload.ts';

/** Whether the service has begun to stop: `/readyz` then fails, and replies tell their connections to close. */
export interface Drain {
  isDraining: boolean;
}

/**
 * Makes replies tell their connections to close during a drain, and `app.close()` answer every accepted request.
 *
 * By itself the server would wait for connections that never sent a request, and for those that are kept alive. Requests that
 * take longer than `graceMs` are cut off.
 */
export function closeGracefully(
  app: FastifyInstance,
  { inFlight, drain, graceMs }: { inFlight: RequestsInFlight; drain: Drain; graceMs: number },
): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (drain.isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', (done) => {
    drain.isDraining = true;
    const closeAll = (): void => app.server.closeAllConnections();
    const cutOff = setTimeout(closeAll, graceMs);
    app.server.once('close', () => clearTimeout(cutOff));
    const closeWhenDone = (): void => {
      if (inFlight.count === 0) closeAll();
    };
    inFlight.onNone = closeWhenDone;
    // After the listener is closed, which the server does next; a request may be on its way.
    setTimeout(closeWhenDone, lingerMs);
    done();
  });
}

/** How long idle connections stay open after the listener has closed. */
const lingerMs = 100;
