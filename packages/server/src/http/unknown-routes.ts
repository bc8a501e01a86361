import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Route } from '../wire/routes/route.ts';
import { routeNames, routes } from '../wire/routes.ts';
import { sendProblem } from './problem-replies.ts';
import { routerPath } from './register-routes.ts';

const patterns = routeNames.map((name) => {
  const { method, path }: Route = routes[name];
  return { method, url: routerPath(path), pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
});

/** Refuses a request that no route handles: 405 with `Allow` when the path is known, otherwise 404. */
export function refuseUnknownRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const allowed = allowedMethods(app, path);
  if (allowed === undefined) {
    const detail = `There is nothing at ${path.slice(0, 200)}. See /openapi.json for the paths of this service.`;
    return sendProblem(request, reply, new AppError('route_not_found', detail));
  }
  reply.header('allow', allowed);
  const detail = `${path} takes ${allowed}, not ${request.method}.`;
  return sendProblem(request, reply, new AppError('method_not_allowed', detail));
}

function allowedMethods(app: FastifyInstance, path: string): string | undefined {
  const methods = patterns
    .filter(({ method, url, pattern }) => pattern.test(path) && app.hasRoute({ method, url }))
    .map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method));
  return methods.length === 0 ? undefined : methods.join(', ');
}
