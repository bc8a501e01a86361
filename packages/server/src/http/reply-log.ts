import type { FastifyInstance } from 'fastify';
import type { HttpObserver } from './http-observer.ts';

/**
 * Writes one log line for each reply, and tells the observer of it.
 *
 * Both name the route and not the path, which may hold anything: no query string, body or header is ever logged.
 */
export function logReplies(app: FastifyInstance, observer: HttpObserver | undefined): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    request.log.info(
      {
        request_id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      'request',
    );
    observer?.answered(route, reply.statusCode, reply.elapsedTime);
    done();
  });
}
