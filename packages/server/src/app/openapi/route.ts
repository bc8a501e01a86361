import type { Operation, TransferOperation } from '../../operation.ts';
import type { ProblemCode } from '../../problems.ts';

/** What a route answers with one status. */
export interface RouteReply {
  description: string;
  /** Without it: `application/json`. */
  mediaType?: string;
  schema: object;
  example?: unknown;
  /** Several, by their names. */
  examples?: Readonly<Record<string, { value: unknown }>>;
  /** The headers that it has in addition to those of every reply. */
  headers?: object;
}

/** The groups of routes, by name, and what each is for. */
export const tags = {
  Transfers: 'Building unsigned transactions, and what became of them.',
  'Payment links': 'Links that any wallet can pay, and what was paid.',
  Service: 'Whether the service works, and what it says of itself.',
  Sandbox: 'The ledger that a service without a real network runs on.',
} as const;

interface CommonRoute {
  /** As OpenAPI writes it, with parameters in braces. */
  path: string;
  /** What it does, in a few words. */
  summary: string;
  /** What its callers should know. */
  description: string;
  tag: keyof typeof tags;
}

interface KeyedRoute extends CommonRoute {
  method: 'POST';
  needsKey: true;
  /** What holds for a body in addition to its fields. */
  requestRule: string;
  /** Replaces the bound of all other routes. */
  bodyLimitBytes?: number;
}

/** A route that builds transfers. It needs an API key. */
export interface TransferRoute extends KeyedRoute {
  /** The operations that a body can ask for. */
  operations: readonly [TransferOperation, ...TransferOperation[]];
}

/** A route that answers what became of transfers. It needs an API key, and builds nothing. */
export interface OutcomeRoute extends KeyedRoute {
  operations: readonly [];
}

/** A route that reads or changes what the service keeps, such as payment links. It needs an API key. */
export interface ResourceRoute extends CommonRoute {
  method: 'GET' | 'POST';
  needsKey: true;
  /** The operation whose fields a body has; empty if the route takes no body. */
  operations: readonly [] | readonly Extract<Operation, 'payment_link'>[];
  /** What holds for a body in addition to its fields. */
  requestRule?: string;
  takesIdempotencyKey: boolean;
  /** The parameters in the path and the query, as OpenAPI writes them. */
  parameters: readonly object[];
  replies: Readonly<Record<number, RouteReply>>;
  /** The refusals that it has in addition to those of every route that needs a key. */
  refusals: readonly ProblemCode[];
}

/** A route that anyone may use. */
export interface PublicRoute extends CommonRoute {
  method: 'GET' | 'POST';
  needsKey: false;
  /** The schema of the body, and an example. */
  request?: { schema: object; example: unknown };
  replies: Readonly<Record<number, RouteReply>>;
  /** The refusals that only this route has, by status. */
  refusals?: Readonly<Record<number, { description: string; code: ProblemCode }>>;
  /** The parameters in the path and the query, as OpenAPI writes them. */
  parameters?: readonly object[];
  /** Whether only a service on a sandbox of its own has it. */
  isOfSandbox?: boolean;
  /** Whether wallets use it: pages of any origin may, and refusals have a `message` for their users. */
  isForWallets?: boolean;
  /** Whether only the service's own pages and wallets call it: the reference leaves it out. */
  isInternal?: boolean;
  /** Whether pages of the origins in `CORS_ORIGINS` may read it. */
  isCrossOrigin?: boolean;
}

/** A route of the service. */
export type Route = TransferRoute | OutcomeRoute | ResourceRoute | PublicRoute;

/** Narrows a route to one that builds transfers. */
export function isTransferRoute(route: Route): route is TransferRoute {
  return route.needsKey && !isResourceRoute(route) && route.operations.length > 0;
}

/** Narrows a route to one that needs an API key and reads or changes what the service keeps. */
export function isResourceRoute(route: Route): route is ResourceRoute {
  return route.needsKey && 'replies' in route;
}

/** Whether a service has a route: those of the sandbox only if it runs on one. */
export function isServed(route: Route, hasSandbox: boolean): boolean {
  return hasSandbox || route.needsKey || route.isOfSandbox !== true;
}

/** Whether pages of the origins in `CORS_ORIGINS` may read a route: every one that needs a key, and some that do not. */
export function isCrossOrigin(route: Route): boolean {
  return route.needsKey || route.isCrossOrigin === true;
}
