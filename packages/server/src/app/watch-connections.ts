import { close, open } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

const sweepMs = 1_000;
const minLogIntervalMs = 10_000;

/**
 * Closes connections of peers that do not read, once a second, and logs when the process has no file descriptor left.
 *
 * The operating system does not report the connections that are lost then, so the watch tries to open a file.
 */
export function watchConnections(app: FastifyInstance, connections: Connections): void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const onDescriptor = (error: NodeJS.ErrnoException | null, descriptor: number): void => {
    if (error === null) {
      close(descriptor);
      return;
    }
    const isExhausted = error.code === 'EMFILE' || error.code === 'ENFILE';
    if (!isExhausted || performance.now() - loggedAt < minLogIntervalMs) return;
    loggedAt = performance.now();
    app.log.error({ code: error.code }, 'no file descriptor is left, so new connections are lost: raise ulimit -n');
  };
  const sweep = setInterval(() => {
    connections.closeUnread();
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
