import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { isCrossOrigin, type Route } from '../wire/routes/route.ts';
import {
  type LinkRouteName,
  type PayRouteName,
  type RouteName,
  type RouteNameByKey,
  routeNames,
  routes,
} from '../wire/routes/route-table.ts';

/** The handlers of the routes that build transfers. */
export type TransferHandlers = Readonly<
  Record<Exclude<RouteNameByKey<true>, 'findOutcome' | 'buildBatch' | LinkRouteName>, RouteHandlerMethod>
>;

/** The handler of the route that builds batches. */
export type BatchHandlers = Readonly<Record<'buildBatch', RouteHandlerMethod>>;

/** The handler of the route that builds nothing. */
export type OutcomeHandlers = Readonly<Record<'findOutcome', RouteHandlerMethod>>;

/** The handlers of some of the routes of payment links that need an API key. */
export type LinkHandlers = Readonly<Partial<Record<LinkRouteName, RouteHandlerMethod>>>;

/** The handlers of some of the routes of wallets and payers. */
export type PayHandlers = Readonly<Partial<Record<PayRouteName, RouteHandlerMethod>>>;

/** The handlers of the other routes that need no API key; those of the sandbox only on a sandbox. */
export type PublicHandlers = Readonly<
  Record<Exclude<RouteNameByKey<false>, 'showSandboxWorld' | PayRouteName>, RouteHandlerMethod> & {
    showSandboxWorld?: RouteHandlerMethod;
  }
>;

/** Registers the routes of which there are handlers, each with the method and path that the table of routes has for it. */
export function registerRoutes(
  app: FastifyInstance,
  handlers: TransferHandlers | BatchHandlers | OutcomeHandlers | LinkHandlers | PayHandlers | PublicHandlers,
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

/** The path of a route as the router writes it: `:code` for `{code}`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
