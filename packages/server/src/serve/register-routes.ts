import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { isCrossOrigin, type Route } from '../app/openapi/route.ts';
import {
  type KeyRouteName,
  type LinkRouteName,
  type PayRouteName,
  type RouteName,
  type RouteNameByKey,
  routeNames,
  routes,
} from '../app/openapi/route-table.ts';
import { asksForPage, sendRefusalPage } from '../app/pages/problem-pages.ts';
import { sendProblem } from '../app/problem-replies.ts';
import { AppError } from '../problems.ts';
import { findSimilarName } from '../similar-name.ts';

/** The handlers of the routes that build transfers. */
export type TransferHandlers = Readonly<
  Record<Exclude<RouteNameByKey<true>, 'findOutcome' | 'buildBatch' | KeyRouteName | LinkRouteName>, RouteHandlerMethod>
>;

/** The handler of the route that builds batches. */
export type BatchHandlers = Readonly<Record<'buildBatch', RouteHandlerMethod>>;

/** The handler of the route that builds nothing. */
export type OutcomeHandlers = Readonly<Record<'findOutcome', RouteHandlerMethod>>;

/** The handlers of some of the routes of payment links that need an API key. */
export type LinkHandlers = Readonly<Partial<Record<LinkRouteName, RouteHandlerMethod>>>;

/** The handler of the route of the API key. */
export type KeyHandlers = Readonly<Record<KeyRouteName, RouteHandlerMethod>>;

/** The handlers of some of the routes of wallets and payers. */
export type PayHandlers = Readonly<Partial<Record<PayRouteName, RouteHandlerMethod>>>;

/** The handlers of the other routes that need no API key; those of the sandbox only on a sandbox. */
export type PublicHandlers = Readonly<
  Record<Exclude<RouteNameByKey<false>, 'showSandboxWorld' | PayRouteName>, RouteHandlerMethod> & {
    showSandboxWorld?: RouteHandlerMethod;
  }
>;

/** Registers the routes that have handlers, each with its method and path in the table of routes. */
export function registerRoutes(
  app: FastifyInstance,
  handlers:
    | TransferHandlers
    | BatchHandlers
    | OutcomeHandlers
    | KeyHandlers
    | LinkHandlers
    | PayHandlers
    | PublicHandlers,
): void {
  const byName: Readonly<Partial<Record<RouteName, RouteHandlerMethod>>> = handlers;
  for (const name of routeNames) {
    const handler = byName[name];
    const route: Route = routes[name];
    const { method, path } = route;
    // Without an entry the route has what the whole service has.
    const config = isCrossOrigin(route) ? {} : { cors: false as const };
    const limit = 'bodyLimitBytes' in route ? { bodyLimit: route.bodyLimitBytes } : {};
    if (handler) app.route({ method, url: routerPath(path), config, ...limit, handler });
  }
}

/** Returns the path of a route as the router writes it: `:code` for `{code}`. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

const patterns = routeNames.map((name) => {
  const { method, path }: Route = routes[name];
  return { method, url: routerPath(path), pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
});

/** Refuses a request that no route handles: 405 with `Allow` when the path is known, otherwise 404. A browser gets a page. */
export function refuseUnknownRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const allowed = allowedMethods(app, path);
  if (allowed === undefined) {
    const meant = findMeantPath(app, path.slice(0, maxPathLength));
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
function findMeantPath(app: FastifyInstance, path: string): string | undefined {
  const clean = path
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
    .replace(/^\/api(?=\/)/, '');
  const lower = clean.toLowerCase();
  // An id in a path keeps its case.
  const candidates = [clean, `/v1${clean}`, lower, `/v1${lower}`, `${lower}.json`];
  const known = candidates.find((candidate) => candidate !== path && allowedMethods(app, candidate) !== undefined);
  if (known !== undefined) return known;
  const served = patterns.filter(({ method, url }) => !url.includes(':') && app.hasRoute({ method, url }));
  return findSimilarName(
    lower,
    served.map(({ url }) => url),
  );
}

function allowedMethods(app: FastifyInstance, path: string): string | undefined {
  const methods = patterns
    .filter(({ method, url, pattern }) => pattern.test(path) && app.hasRoute({ method, url }))
    .map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method));
  if (methods.length > 0) return methods.join(', ');
  // A page for people, which the table does not have.
  return app.hasRoute({ method: 'GET', url: path }) ? 'GET, HEAD' : undefined;
}
