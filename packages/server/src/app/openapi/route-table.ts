import { keyRoutes } from '../../keys/key-route-table.ts';
import { linkRoutes } from '../../links/link-route-table.ts';
import { payRoutes } from '../../links/pay-route-table.ts';
import { problems } from '../../problems.ts';
import { livenessSchema, type Readiness, readinessSchema, sandboxWorldSchema } from './public-schema.ts';
import type { Route } from './route.ts';

const problemCodes: readonly string[] = Object.keys(problems);

const ready: Readiness = {
  status: 'ready',
  checks: { upstream: 'ok', keys: 'ok' },
  upstreams: { 1: { status: 'ok', slot_lag: 0 } },
};
const stopping: Readiness = { status: 'stopping', checks: {}, upstreams: {} };

/** Every route of the service, by its `operationId`: the app registers these, and the OpenAPI document describes them. */
export const routes = {
  buildTransfer: {
    method: 'POST',
    path: '/v1/transfers',
    summary: 'Build a transfer',
    description:
      'Builds a transfer with or without a memo, with splits to others, creating token accounts only where they are missing. ' +
      'Every reply has the same shape. Start here.',
    tag: 'Transfers',
    requestRule: 'Takes exactly one of `amount` and `amount_decimal`.',
    needsKey: true,
    operations: ['transfer'],
  },
  buildBatch: {
    method: 'POST',
    path: '/v1/transfers/batch',
    summary: 'Build a batch',
    description:
      'Builds transfers of one mint by one sender to up to 1,000 recipients, in as few transactions as their sizes allow. Each ' +
      'transaction stands by itself: all of them land in any order, also when some are never sent. Every fault of every transfer ' +
      'is reported at once. Counts as one request for each 10 transfers.',
    tag: 'Transfers',
    requestRule: 'Each transfer takes exactly one of `amount` and `amount_decimal`.',
    needsKey: true,
    operations: ['batch'],
    // 1,000 transfers, each with a memo and references, with space between them.
    bodyLimitBytes: 2_097_152,
  },
  findOutcome: {
    method: 'POST',
    path: '/v1/transfers/outcome',
    summary: 'Find the outcome',
    description:
      'Takes a transaction as it was built or as it was signed, and says what became of it on chain. It is found by what it pays, ' +
      'also where a wallet has replaced its blockhash or fee payer, or has added instructions. Nothing is stored, built or ' +
      'submitted. Only `expired`, and `failed` with `is_final`, make it safe to build the payment again.',
    tag: 'Transfers',
    requestRule:
      'Takes `transaction`, with `last_valid_block_height`, or `transactions`, each with its own `last_valid_block_height`.',
    needsKey: true,
    operations: [],
    // 100 transactions of 4,096 bytes as arrays of integers, with space between them.
    bodyLimitBytes: 2_097_152,
  },
  buildTokenTransfer: {
    method: 'POST',
    path: '/v1/token-transfer-memo-hash',
    summary: 'Build with memo',
    description:
      'Builds a transfer between two existing token accounts, with a memo directly before it. With `memo` the reply ' +
      'includes the blockhash; with `yid`, an identifier that becomes the memo, it does not.',
    tag: 'Transfers',
    requestRule: 'Takes exactly one of `memo` and `yid`.',
    needsKey: true,
    operations: ['memo_transfer', 'yid_transfer'],
  },
  buildCreateTokenAccountTransfer: {
    method: 'POST',
    path: '/v1/create-token-account-transfer',
    summary: 'Create and transfer',
    description:
      "Builds a transfer that first creates the recipient's token account. If the account exists when the transaction lands, " +
      'nothing is created and no rent is paid.',
    tag: 'Transfers',
    requestRule: 'Takes one of `memo` and `yid`, or neither.',
    needsKey: true,
    operations: ['create_transfer'],
  },
  ...linkRoutes,
  ...payRoutes,
  ...keyRoutes,
  isAlive: {
    method: 'GET',
    path: '/livez',
    summary: 'Check the process',
    description: 'For a supervisor that restarts a process which does not answer. It checks nothing else.',
    tag: 'Service',
    needsKey: false,
    replies: { 200: { description: 'It runs.', schema: livenessSchema, example: { status: 'alive' } } },
  },
  isReady: {
    method: 'GET',
    path: '/readyz',
    summary: 'Check the readiness',
    description: 'For a load balancer, which should send requests only to a service that is ready.',
    tag: 'Service',
    needsKey: false,
    replies: {
      200: { description: 'It can.', schema: readinessSchema, example: ready },
      503: { description: 'It cannot.', schema: readinessSchema, example: stopping },
    },
  },
  describeApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Read this document',
    description: 'Made from the tables that the service runs on.',
    tag: 'Service',
    needsKey: false,
    isCrossOrigin: true,
    replies: { 200: { description: 'The OpenAPI document of the running service.', schema: { type: 'object' } } },
  },
  explainProblem: {
    method: 'GET',
    path: '/problems/{code}',
    summary: 'Explain a problem',
    description: 'The `type` of every refusal leads here.',
    tag: 'Service',
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
    },
    refusals: { 404: { description: 'There is no problem of this code.', code: 'route_not_found' } },
  },
  showSandboxWorld: {
    method: 'GET',
    path: '/sandbox/world',
    summary: 'Show the sandbox',
    description: 'They are the same at every start. The keys are public: never use them on a real network.',
    tag: 'Sandbox',
    needsKey: false,
    isOfSandbox: true,
    replies: {
      200: {
        description: 'Addresses and secret keys, which are valid in this sandbox only.',
        schema: sandboxWorldSchema,
      },
    },
  },
} as const satisfies Readonly<Record<string, Route>>;

/** The name of a route, which is its `operationId`. */
export type RouteName = keyof typeof routes;

/** The name of a route of payment links that needs an API key. */
export type LinkRouteName = keyof typeof linkRoutes;

/** The name of a route of API keys. */
export type KeyRouteName = keyof typeof keyRoutes;

/** The name of a route of wallets and payers. */
export type PayRouteName = keyof typeof payRoutes;

/** The names of all routes, in the order of the table. */
export const routeNames: readonly RouteName[] = Object.keys(routes).filter(isRouteName);

function isRouteName(text: string): text is RouteName {
  return Object.hasOwn(routes, text);
}

/** The names of the routes that need an API key, or of those that need none. */
export type RouteNameByKey<NeedsKey extends boolean> = {
  [Name in RouteName]: (typeof routes)[Name]['needsKey'] extends NeedsKey ? Name : never;
}[RouteName];

/** The paths that build transfers. */
export const paths = {
  memoTransfer: routes.buildTokenTransfer.path,
  createTransfer: routes.buildCreateTokenAccountTransfer.path,
  transfers: routes.buildTransfer.path,
  batch: routes.buildBatch.path,
} as const;

/** A path that builds transfers. */
export type TransferPath = (typeof paths)[keyof typeof paths];

/** Whether a URL is under the paths of wallets and payers, even if no route handles it. */
export function isPayPath(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return path === routes.describeActions.path || path === '/pay' || path.startsWith('/pay/');
}

/**
 * Returns the URL of a request without a slash after the id of a link, which people and programs append. It is not redirected, since
 * wallets do not follow a redirect of a POST.
 */
export function routedUrl(url: string): string {
  return url.startsWith('/pay/') ? url.replace(/^(\/pay\/[1-9A-HJ-NP-Za-km-z]{16})\/(?=\?|$)/, '$1') : url;
}
