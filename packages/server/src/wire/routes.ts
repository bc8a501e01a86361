import { problems } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { readinessSchema } from './readiness.ts';
import { problemMediaType, problemReference } from './replies.ts';

/** What a route answers with one status. */
interface RouteReply {
  description: string;
  /** Without it: `application/json`. */
  mediaType?: string;
  /** Without it: any object. */
  schema?: object;
}

interface CommonRoute {
  /** As OpenAPI writes it, with parameters in braces. */
  path: string;
  summary: string;
}

/** A route that builds transfers. It needs an API key. */
export interface TransferRoute extends CommonRoute {
  method: 'POST';
  needsKey: true;
  /** The operations that a body can ask for. */
  operations: readonly Operation[];
}

/** A route that anyone may read. */
export interface PublicRoute extends CommonRoute {
  method: 'GET';
  needsKey: false;
  replies: Readonly<Record<number, RouteReply>>;
  /** The parameters in the path, as OpenAPI writes them. */
  parameters?: readonly object[];
  /** Whether only a service on a sandbox of its own has it. */
  isOfSandbox?: boolean;
  /** Whether pages of the origins in `CORS_ORIGINS` may read it. */
  isCrossOrigin?: boolean;
}

/** A route of the service. */
export type Route = TransferRoute | PublicRoute;

const problemCodes: readonly string[] = Object.keys(problems);

/** Every route of the service, by its `operationId`: the app registers these, and the OpenAPI document describes them. */
export const routes = {
  buildTokenTransfer: {
    method: 'POST',
    path: '/v1/token-transfer-memo-hash',
    summary: 'Build a token transfer with a memo',
    needsKey: true,
    operations: ['memo_transfer', 'yid_transfer'],
  },
  buildCreateTokenAccountTransfer: {
    method: 'POST',
    path: '/v1/create-token-account-transfer',
    summary: "Build a token transfer that creates the recipient's token account if it is missing",
    needsKey: true,
    operations: ['create_transfer'],
  },
  isAlive: {
    method: 'GET',
    path: '/livez',
    summary: 'Whether the process runs',
    needsKey: false,
    replies: { 200: { description: 'It runs.' } },
  },
  isReady: {
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the service can build transfers now',
    needsKey: false,
    replies: {
      200: { description: 'It can.', schema: readinessSchema },
      503: { description: 'It cannot.', schema: readinessSchema },
    },
  },
  describeApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    needsKey: false,
    isCrossOrigin: true,
    replies: { 200: { description: 'The OpenAPI document of the running service.' } },
  },
  explainProblem: {
    method: 'GET',
    path: '/problems/{code}',
    summary: 'What a problem means, and its remedy',
    needsKey: false,
    parameters: [
      {
        name: 'code',
        in: 'path',
        required: true,
        description: 'The `code` of a refusal.',
        schema: { type: 'string', enum: problemCodes },
        example: 'invalid_request',
      },
    ],
    replies: {
      200: { description: 'A page for people.', mediaType: 'text/html', schema: { type: 'string' } },
      404: { description: 'There is no problem of this code.', mediaType: problemMediaType, schema: problemReference },
    },
  },
  showSandboxWorld: {
    method: 'GET',
    path: '/sandbox/world',
    summary: 'The wallets, mints and nonce accounts of the sandbox',
    needsKey: false,
    isOfSandbox: true,
    replies: { 200: { description: 'Addresses and secret keys, which are worth something in this sandbox alone.' } },
  },
} as const satisfies Readonly<Record<string, Route>>;

/** The name of a route, which is its `operationId`. */
export type RouteName = keyof typeof routes;

/** The names of all routes, in the order of the table. */
export const routeNames: readonly RouteName[] = Object.keys(routes).filter(isRouteName);

function isRouteName(text: string): text is RouteName {
  return Object.hasOwn(routes, text);
}

/** The names of the routes that need an API key, or of those that need none. */
export type RouteNameByKey<NeedsKey extends boolean> = {
  [Name in RouteName]: (typeof routes)[Name]['needsKey'] extends NeedsKey ? Name : never;
}[RouteName];

/** The two paths that take requests. */
export const paths = {
  memoTransfer: routes.buildTokenTransfer.path,
  createTransfer: routes.buildCreateTokenAccountTransfer.path,
} as const;

/** A path that takes requests. */
export type TransferPath = (typeof paths)[keyof typeof paths];

/** Whether a service has a route: those of the sandbox only if it runs on one. */
export function isServed(route: Route, hasSandbox: boolean): boolean {
  return hasSandbox || route.needsKey || route.isOfSandbox !== true;
}

/** Whether pages of the origins in `CORS_ORIGINS` may read a route: every one that needs a key, and some that do not. */
export function isCrossOrigin(route: Route): boolean {
  return route.needsKey || route.isCrossOrigin === true;
}
