import { close, open } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { ConnectionBound, Connections } from './connections.ts';

/** How many connections each bound has closed since that was last logged. */
export type ClosedConnections = Record<ConnectionBound, number>;

const sweepMs = 1_000;
const minLogIntervalMs = 10_000;

/**
 * Closes connections of peers that do not read, once a second, and logs problems with connections, at most every ten seconds.
 *
 * It logs how many connections each bound has closed, and when the process has no file descriptor left. The operating system does
 * not report the connections that are lost then, so the watch tries to open a file.
 */
export function watchConnections(
  app: FastifyInstance,
  connections: Connections,
  closed: ClosedConnections,
  maxConnections: number,
): void {
  let closedLoggedAt = Number.NEGATIVE_INFINITY;
  let exhaustionLoggedAt = Number.NEGATIVE_INFINITY;

  const onDescriptor = (error: NodeJS.ErrnoException | null, descriptor: number): void => {
    if (error === null) {
      close(descriptor);
      return;
    }
    const isExhausted = error.code === 'EMFILE' || error.code === 'ENFILE';
    if (!isExhausted || performance.now() - exhaustionLoggedAt < minLogIntervalMs) return;
    exhaustionLoggedAt = performance.now();
    app.log.error(
      { code: error.code, max_connections: maxConnections },
      'no file descriptor is left, so new connections are lost: raise ulimit -n above it',
    );
  };

  const sweep = setInterval(() => {
    connections.closeUnread();
    const isAny = closed.max_connections + closed.waiting_bytes + closed.unread_reply > 0;
    if (isAny && performance.now() - closedLoggedAt >= minLogIntervalMs) {
      closedLoggedAt = performance.now();
      app.log.warn({ closed: { ...closed }, max_connections: maxConnections }, 'connections were closed by a bound');
      Object.assign(closed, { max_connections: 0, waiting_bytes: 0, unread_reply: 0 });
    }
    open('/dev/null', 'r', onDescriptor);
  }, sweepMs).unref();
  app.addHook('onClose', async () => clearInterval(sweep));
  app.addHook('onListen', (done) => {
    // Without a listener, an error of the listening socket would end the process.
    app.server.on('error', (error: NodeJS.ErrnoException) =>
      app.log.error({ code: error.code }, 'the listener failed'),
    );
    done();
  });
}
