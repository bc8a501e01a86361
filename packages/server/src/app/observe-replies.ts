import type { FastifyInstance } from 'fastify';
import type { ProblemCode } from '../problems.ts';
import type { ConnectionBound } from './connections.ts';

/** Observes how requests end. */
export interface HttpObserver {
  /** A request of a route was answered. The route is the pattern, such as `/problems/:code`, or `none`. */
  answered(route: string, status: number, durationMs: number): void;
  /** A request was refused because the service is overloaded. */
  shed(reason: 'in_flight' | 'event_loop_delay'): void;
  /** A request of an API key was refused by a limit. */
  limited(keyId: string, code: ProblemCode): void;
  /** A connection was closed by a bound. */
  connectionClosed(bound: ConnectionBound): void;
}

/**
 * Writes one log line for each reply, and tells the observer of it.
 *
 * Both get the route, never the path, which may have anything in it: no query string, body or header is logged.
 */
export function logReplies(app: FastifyInstance, observer: HttpObserver | undefined): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { id: requestId, method } = request;
    const milliseconds = Math.round(reply.elapsedTime * 1000) / 1000;
    app.log.info({ request_id: requestId, method, route, status: reply.statusCode, milliseconds }, 'request');
    observer?.answered(route, reply.statusCode, reply.elapsedTime);
    done();
  });
}
