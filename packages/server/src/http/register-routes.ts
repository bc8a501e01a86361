import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { isCrossOrigin, type RouteName, type RouteNameByKey, routeNames, routes } from '../wire/routes.ts';

/** The handlers of the routes that need an API key. */
export type KeyedHandlers = Readonly<Record<RouteNameByKey<true>, RouteHandlerMethod>>;

/** The handlers of the routes that need no API key; those of the sandbox only on a sandbox. */
export type PublicHandlers = Readonly<
  Record<Exclude<RouteNameByKey<false>, 'showSandboxWorld'>, RouteHandlerMethod> & {
    showSandboxWorld?: RouteHandlerMethod;
  }
>;

/** Registers the routes of which there are handlers, each with the method and path that the table of routes has for it. */
export function registerRoutes(app: FastifyInstance, handlers: KeyedHandlers | PublicHandlers): void {
  const byName: Readonly<Partial<Record<RouteName, RouteHandlerMethod>>> = handlers;
  for (const name of routeNames) {
    const handler = byName[name];
    const { method, path } = routes[name];
    // Without an entry the route has what the whole service has.
    const config = isCrossOrigin(routes[name]) ? {} : { cors: false as const };
    if (handler) app.route({ method, url: routerPath(path), config, handler });
  }
}

/** The path of a route as the router writes it: `:code` for `{code}`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
