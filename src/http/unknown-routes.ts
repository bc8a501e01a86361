import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { paths } from '../wire/fields.ts';
import { sendProblem } from './problem-replies.ts';

const getPaths = ['/openapi.json', '/problems/:code', '/livez', '/readyz', '/sandbox/world'];
const postPaths: readonly string[] = Object.values(paths);

/** Refuses a request that no route takes: 405 with `Allow` where the path is known, 404 where it is not. */
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
  if (postPaths.includes(path)) return 'POST';
  const isGet = getPaths.some((pattern) => matches(pattern, path) && app.hasRoute({ method: 'GET', url: pattern }));
  return isGet ? 'GET, HEAD' : undefined;
}

function matches(pattern: string, path: string): boolean {
  return pattern === path || (pattern === '/problems/:code' && /^\/problems\/[^/]+$/.test(path));
}
