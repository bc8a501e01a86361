import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify';
import { registerMcpRoute } from '../agents/mcp-route.ts';
import { assertValidHead, requestIdOf } from '../app/assert-valid-head.ts';
import { Connections } from '../app/connections.ts';
import { allowOrigins } from '../app/cors.ts';
import { closeGracefully, type Drain } from '../app/drain.ts';
import { acceptJsonBodies, requireDeclaredJson } from '../app/json-body.ts';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import { type HttpObserver, logReplies } from '../app/observe-replies.ts';
import { describeRoutes } from '../app/openapi.ts';
import { EventLoopDelay, type RequestsInFlight, shedOverload } from '../app/overload.ts';
import { RequestPlaces } from '../app/places.ts';
import { answerClientError, handleError, isLimit } from '../app/problem-replies.ts';
import type { SandboxWorldJson } from '../app/public-schema.ts';
import { checkBySchemas } from '../app/validate.ts';
import { watchConnections } from '../app/watch-connections.ts';
import { batchDeadlineFactor } from '../app/work-of.ts';
import type { Consensus } from '../chain/chain-reader.ts';
import type { KeyedRequests } from '../idempotency/keyed-requests.ts';
import { type IncomingRouteOptions, registerIncomingRoutes } from '../incoming/incoming-routes.ts';
import { type AdminRouteOptions, registerAdminRoutes } from '../keys/admin-routes.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import type { Authenticator } from '../keys/authentication/authenticator.ts';
import { type KeyRouteOptions, registerKeyRoute } from '../keys/key-routes.ts';
import { limitRate } from '../keys/rate-limit.ts';
import { requireApiKey } from '../keys/require-api-key.ts';
import type { DailyAmounts } from '../keys/usage/daily-amounts.ts';
import { type LinkRouteOptions, registerLinkRoutes } from '../links/link-routes.ts';
import { openToWallets, type PayRouteOptions, registerPayRoutes, routedUrl, wallets } from '../links/pay-routes.ts';
import type { PaymentLinks } from '../links/payment-links.ts';
import { type OutcomeSource, registerOutcomeRoutes } from '../outcomes/outcome-routes.ts';
import { registerHomeRoute, registerReferenceRoutes } from '../pages/page-routes.ts';
import type { ProblemCode } from '../problems.ts';
import { registerSponsorRoute } from '../sponsor/sponsor-routes.ts';
import type { BatchBuilder } from '../transfers/batch-builder.ts';
import { registerBatchRoutes } from '../transfers/batch-routes.ts';
import type { SponsorParts } from '../transfers/build-sponsored.ts';
import type { TransferBuilder } from '../transfers/transfer-builder.ts';
import { registerTransferRoutes } from '../transfers/transfer-routes.ts';
import { registerWebhookRoutes, type WebhookRouteOptions } from '../webhooks/webhook-routes.ts';
import {
  type ReadinessCheck,
  registerDocumentRoutes,
  registerHealthRoutes,
  type UpstreamsCheck,
} from './public-routes.ts';
import { collectRoutes, refuseUnknownRoute } from './unknown-route.ts';

/** How a request that was not refused is counted. */
type Success = 'built' | 'replayed' | 'answered';

export interface PaymentDependencies
  extends Pick<PayRouteOptions, 'chain' | 'iconOrigins' | 'brand' | 'publicUrl' | 'payRateLimitPerMinute'> {
  /** Makes payment links, says what was paid, and builds payments. */
  links: PaymentLinks;
  refundStore: LinkRouteOptions['refundStore'];
  /** The name of the cluster in the replies to wallets, such as `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1`. */
  blockchainId: () => Promise<string | undefined>;
}

/** Everything that the HTTP service uses; it creates none of it. */
export interface AppDependencies {
  /** Without it there are no routes of incoming payments. */
  incoming?: IncomingRouteOptions['incoming'] | undefined;
  /** Without it there are no routes of webhooks. */
  webhooks?: WebhookRouteOptions['webhooks'] | undefined;
  /** Without it there are no routes that manage API keys. */
  admin?: AdminRouteOptions['admin'] | undefined;
  builder: TransferBuilder;
  batchBuilder: BatchBuilder;
  /** Finds out what became of transfers. */
  outcomes: OutcomeSource;
  authenticator: Authenticator;
  /** Answers requests with an `Idempotency-Key`. */
  keyedRequests: KeyedRequests;
  /** Counts a request of a key by its end: `built`, `replayed`, `answered` where nothing is built, or the code of the refusal. */
  countUsage: (key: AuthenticatedKey, end: ProblemCode | Success) => void;
  limiter: RateLimiter;
  /** Reads what a key has used today. */
  readKeyToday: KeyRouteOptions['readKeyToday'];
  /** Without it there are no routes of payment links. */
  payments?: PaymentDependencies | undefined;
  /** Signs for `fee_payer: "sponsor"`; absent where there is none. */
  sponsoring?: SponsorParts | undefined;
  /** Counts what keys with a daily limit build. */
  dailyAmounts: DailyAmounts;
  logger: FastifyBaseLogger;
  version: string;
  readinessChecks: Readonly<Record<string, ReadinessCheck>>;
  /** How the upstreams are now. */
  checkUpstreams: UpstreamsCheck;
  /** Resolves with the consensus of the cluster, where it is known. */
  readConsensus: () => Promise<Consensus | undefined>;
  inFlight: RequestsInFlight;
  /** Whether it stops. */
  drain: Drain;
  observer?: HttpObserver | undefined;
  config: {
    bodyLimitBytes: number;
    requestDeadlineMs: number;
    maxRequestsInFlight: number;
    maxConnections: number;
    /** The origins whose pages may read replies; `*` is any. */
    corsOrigins: readonly string[];
    /** Whether there is a console at `/`, and a reference at `/docs`. */
    hasPages: boolean;
    /** Whether there are tools for agents at `/mcp`. */
    hasMcp: boolean;
    /** How many proxies in front write `X-Forwarded-*` headers; 0: none is believed. */
    trustedProxies: number;
  };
  /** The sandbox's world, served at `/sandbox/world`; absent on a real network. */
  sandboxWorld?: SandboxWorldJson;
}

// Requests are shed above this delay of the event loop.
const maxEventLoopDelayMs = 1_000;

// A peer that reads at all takes any reply in less time.
const maxReadingMs = 10_000;
const maxWaitingBytes = 16_000_000;

const serverOptions = {
  requestTimeout: 30_000,
  // Longer than load balancers keep an idle connection, so that they close it and not the service.
  keepAliveTimeout: 72_000,
  // Node would refuse a request without Host by itself, with an empty reply.
  requireHostHeader: false,
  // Node would use the first of two headers, and another server on the way the second: both are kept here, and refused.
  joinDuplicateHeaders: true,
  // How often Node looks for heads and bodies that are late.
  connectionsCheckingInterval: 5_000,
};

/** Builds the HTTP service without listening: `inject` works on it, and so does `listen`. */
export function buildApp(dependencies: AppDependencies): FastifyInstance {
  const { config, payments, observer } = dependencies;
  const { maxConnections } = config;
  const connections = new Connections(
    { maxConnections, maxWaitingBytes, maxReadingMs },
    () => performance.now(),
    (bound) => observer?.connectionClosed(bound),
  );
  const app = fastify({
    loggerInstance: dependencies.logger,
    // A child of the logger for each request would cost more than naming the request in each line.
    childLoggerFactory: (logger) => logger,
    bodyLimit: config.bodyLimitBytes,
    // Each proxy in front appends an entry: the client may have written anything before those.
    trustProxy: config.trustedProxies > 0 && ((_address, hop) => hop < config.trustedProxies),
    requestIdHeader: false,
    rewriteUrl: ({ url = '' }) => routedUrl(url),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Without it, Fastify would make a second server for the host `localhost`, which would have no bounds.
    serverFactory: (handle) => {
      const server = createServer(serverOptions);
      connections.watch(server, handle);
      return server;
    },
    logController: new LogController({ disableRequestLogging: true }),
    // After SIGTERM open connections are still served; each reply tells its connection to close.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) =>
      connections.endAfterReplies(socket, () => answerClientError(error, socket, randomUUID())),
    frameworkErrors: (error, request, reply) => handleError(error, request, reply),
  });

  checkBySchemas(app);
  const served = collectRoutes(app);
  describeRoutes(app, dependencies.version);
  watchConnections(app, connections);
  const { inFlight } = dependencies;
  inFlight.countAll(app);
  const { drain } = dependencies;
  closeGracefully(app, { inFlight, drain, graceMs: batchDeadlineFactor * config.requestDeadlineMs });
  app.setErrorHandler(handleError);
  app.decorate('refusalAudience', wallets);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('isReplay', false);
  app.decorateRequest('work', null);
  app.decorateRequest('apiKey', null);
  app.decorateRequest('places', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff');
    assertValidHead(request.raw);
    done();
  });
  if (payments) openToWallets(app, payments.blockchainId);
  allowOrigins(app, config.corsOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    // Answered here, before its body is read. An OPTIONS request that comes this far is no preflight of an allowed origin.
    if (request.is404 || request.method === 'OPTIONS') refuseUnknownRoute(served, request, reply);
    else done();
  });
  logReplies(app, observer);
  const eventLoop = new EventLoopDelay();
  app.addHook('onClose', async () => eventLoop.stop());
  acceptJsonBodies(app);

  const places = new RequestPlaces();
  const shed = (scope: FastifyInstance): void =>
    shedOverload(scope, {
      maxInFlight: config.maxRequestsInFlight,
      inFlight: () => inFlight.building,
      maxDelayMs: maxEventLoopDelayMs,
      delayMs: () => eventLoop.delayMs,
      onShed: (reason) => observer?.shed(reason),
    });
  app.register(async (scope) => {
    shed(scope);
    // Before the body is read: a caller without a key costs nothing and learns nothing.
    requireApiKey(scope, dependencies.authenticator);
    limitRate(scope, dependencies.limiter);
    places.limit(scope, config.requestDeadlineMs);
    scope.addHook('onResponse', (request, _reply, done) => {
      const { apiKey, problemCode } = request;
      if (apiKey) dependencies.countUsage(apiKey, problemCode ?? successOf(request));
      if (apiKey && problemCode && isLimit(problemCode)) observer?.limited(apiKey.id, problemCode);
      done();
    });
    scope.register(async (building) => {
      requireDeclaredJson(building);
      registerTransferRoutes(building, { ...dependencies, ...config });
      registerBatchRoutes(building, { ...dependencies, ...config });
      registerOutcomeRoutes(building, { ...dependencies, ...config });
    });
    registerKeyRoute(scope, dependencies);
    registerSponsorRoute(scope, { ...dependencies, ...config });
    const { incoming } = dependencies;
    if (incoming) registerIncomingRoutes(scope, { incoming, ...config });
    if (dependencies.webhooks) registerWebhookRoutes(scope, { webhooks: dependencies.webhooks });
    if (payments) registerLinkRoutes(scope, { ...dependencies, ...config, ...payments });
  });
  if (config.hasMcp) {
    app.register(async (scope) => {
      shed(scope);
      requireApiKey(scope, dependencies.authenticator);
      limitRate(scope, dependencies.limiter);
      // Places of its own: the requests of its tools take the others, and would wait for those that hold them.
      new RequestPlaces().limit(scope, config.requestDeadlineMs);
      registerMcpRoute(scope, dependencies);
    });
  }
  const { admin } = dependencies;
  if (admin) {
    app.register(async (scope) => {
      shed(scope);
      registerAdminRoutes(scope, { ...dependencies, admin });
    });
  }
  const hasPages = payments !== undefined && config.hasPages;
  app.register(async (scope) => {
    shed(scope);
    places.limit(scope, config.requestDeadlineMs);
    registerHomeRoute(scope, { ...dependencies, chain: hasPages ? payments.chain : undefined });
    if (hasPages) registerReferenceRoutes(scope, dependencies);
    registerDocumentRoutes(scope, dependencies.sandboxWorld);
  });
  if (payments) {
    app.register(async (scope) => {
      shed(scope);
      places.limit(scope, config.requestDeadlineMs);
      registerPayRoutes(scope, { ...dependencies, ...config, ...payments });
    });
  }
  app.register(async (scope) =>
    registerHealthRoutes(scope, { ...dependencies, readinessTimeoutMs: config.requestDeadlineMs }),
  );
  return app;
}

function successOf({ isReplay, routeOptions }: FastifyRequest): Success {
  return isReplay ? 'replayed' : (routeOptions.config.usage ?? 'built');
}
