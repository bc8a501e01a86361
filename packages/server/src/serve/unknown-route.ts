import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asksForPage, sendRefusalPage } from '../app/pages/problem-pages.ts';
import { sendProblem } from '../app/problem-replies.ts';
import { AppError } from '../problems.ts';
import { findSimilarName } from '../similar-name.ts';

/** A route that is served: its path as the router writes it. */
interface ServedRoute {
  method: string;
  url: string;
  pattern: RegExp;
}

/** Collects the routes that are registered from now on. */
export function collectRoutes(app: FastifyInstance): readonly ServedRoute[] {
  const routes: ServedRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      // Of preflights, for any path.
      if (each === 'HEAD' || each === 'OPTIONS') continue;
      routes.push({ method: each, url, pattern: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`) });
    }
  });
  return routes;
}

/** Refuses a request that no route handles: 405 with `Allow` when the path is known, otherwise 404. A browser gets a page. */
export function refuseUnknownRoute(
  routes: readonly ServedRoute[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const allowed = allowedMethods(routes, path);
  // Typed by a person; programs take the address from a refusal.
  if (path === '/problems' && asksForPage(request)) return reply.redirect('/problems/', 308);
  if (allowed === undefined) {
    const meant = findMeantPath(routes, path.slice(0, maxPathLength));
    const hint = meant === undefined ? 'See /openapi.json for the paths of this service.' : `Did you mean ${meant}?`;
    const detail = `There is nothing at ${path.slice(0, maxPathLength)}. ${hint}`;
    return sendRefusal(request, reply, new AppError('route_not_found', detail));
  }
  reply.header('allow', allowed);
  const detail = `${path} takes ${allowed}, not ${request.method}.`;
  return sendRefusal(request, reply, new AppError('method_not_allowed', detail));
}

function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  if (!asksForPage(request)) return sendProblem(request, reply, error);
  sendRefusalPage(request, reply, error).catch((failure: unknown) => reply.send(failure));
  return reply;
}

const maxPathLength = 200;

// The path without what clients add to it by mistake, if there is a route for that; otherwise the one that is nearest in its letters.
function findMeantPath(routes: readonly ServedRoute[], path: string): string | undefined {
  const clean = path
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
    .replace(/^\/api(?=\/)/, '');
  const lower = clean.toLowerCase();
  // An id in a path keeps its case.
  const candidates = [clean, `/v1${clean}`, lower, `/v1${lower}`, `${lower}.json`];
  const known = candidates.find((candidate) => candidate !== path && allowedMethods(routes, candidate) !== undefined);
  if (known !== undefined) return known;
  const urls = routes.map(({ url }) => url).filter((url) => !url.includes(':'));
  return findSimilarName(lower, urls);
}

function allowedMethods(routes: readonly ServedRoute[], path: string): string | undefined {
  const methods = routes
    .filter(({ pattern }) => pattern.test(path))
    .map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method));
  return methods.length > 0 ? [...new Set(methods)].join(', ') : undefined;
}
