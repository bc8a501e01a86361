import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type onResponseHookHandler,
} from 'fastify';
import { AppError, type ProblemCode } from '../errors.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { maskApiKeys } from '../keys/mask-api-keys.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { TransferBuilder } from '../service/transfer-builder.ts';
import { readJson } from '../wire/read-json.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { closeGracefully } from './graceful-close.ts';
import type { HttpObserver } from './http-observer.ts';
import type { RequestsInFlight } from './in-flight.ts';
import { answerClientError, handleError } from './problem-replies.ts';
import { type ReadinessCheck, registerPublicRoutes, type UpstreamsCheck } from './public-routes.ts';
import { limitRate } from './rate-limit.ts';
import { requireApiKey } from './require-api-key.ts';
import { shedOverload } from './shed-overload.ts';
import { registerTransferRoutes } from './transfer-routes.ts';
import { refuseUnknownRoute } from './unknown-routes.ts';

/** Everything the HTTP service is made of; nothing is created inside. */
export interface AppDependencies {
  builder: TransferBuilder;
  authenticator: Authenticator;
  /** Counts a request of a key by what came of it: `built`, or the code of the refusal. */
  countUsage: (key: AuthenticatedKey, outcome: ProblemCode | 'built') => void;
  limiter: RateLimiter;
  logger: FastifyBaseLogger;
  version: string;
  readinessChecks: Readonly<Record<string, ReadinessCheck>>;
  /** How the upstreams are now. */
  checkUpstreams: UpstreamsCheck;
  inFlight: RequestsInFlight;
  observer?: HttpObserver | undefined;
  config: {
    bodyLimitBytes: number;
    requestDeadlineMilliseconds: number;
    maxRequestsInFlight: number;
    trustProxy: boolean;
  };
  /** The sandbox's world, served at `/sandbox/world`; absent on a real network. */
  sandboxWorld?: object;
}

// In milliseconds: past it, whoever comes would wait that long before anything is done for him.
const longestEventLoopDelay = 1_000;

/** Builds the HTTP service without listening: `inject` works on it, and so does `listen`. */
export function buildApp(dependencies: AppDependencies): FastifyInstance {
  const { config } = dependencies;
  const app = fastify({
    loggerInstance: withoutChildren(dependencies.logger),
    bodyLimit: config.bodyLimitBytes,
    // The one proxy in front, whose own entry is the last: those before it are whatever the client wrote.
    trustProxy: config.trustProxy && ((_address, hop) => hop === 0),
    requestIdHeader: false,
    genReqId: (request) => acceptRequestId(request.headers['x-request-id']) ?? randomUUID(),
    requestTimeout: 30_000,
    // Node would refuse a request without Host itself, with an empty reply.
    http: { requireHostHeader: false },
    logController: new LogController({ disableRequestLogging: true }),
    // On SIGTERM what is in flight is finished, on connections already open too, each told to close.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerClientError(error, socket, randomUUID()),
    frameworkErrors: (error, request, reply) => handleError(error, request, reply),
  });

  // Node would refuse an Expect header it does not know, with an empty reply; a server may also disregard it.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  const { inFlight, observer } = dependencies;
  inFlight.countAll(app);
  closeGracefully(app, inFlight, config.requestDeadlineMilliseconds);
  app.setErrorHandler(handleError);
  app.decorateRequest('problemCode', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    assertHostIsNamed(request);
    // Answered here, before a body is read that nobody will look at.
    if (request.is404) refuseUnknownRoute(app, request, reply);
    else done();
  });
  app.addHook('onResponse', logReply);
  if (observer) app.addHook('onResponse', observeReply(observer));
  const eventLoop = new EventLoopDelay();
  app.addHook('onClose', async () => eventLoop.stop());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(request.headers['content-type'])) {
      done(new AppError('unsupported_media_type', 'The body must be UTF-8.'));
      return;
    }
    const read = readJson(Buffer.isBuffer(body) ? body : Buffer.from(body));
    if ('fault' in read) done(new AppError('invalid_json', read.fault));
    else done(null, read.value);
  });

  app.register(async (scope) => {
    shedOverload(scope, {
      mostInFlight: config.maxRequestsInFlight,
      inFlight: () => inFlight.count,
      longestDelay: longestEventLoopDelay,
      delay: () => eventLoop.milliseconds,
      onShed: (reason) => observer?.shed(reason),
    });
    // Before the body is read: a caller without a key costs nothing and learns nothing.
    requireApiKey(scope, dependencies.authenticator);
    limitRate(scope, dependencies.limiter);
    scope.addHook('onRequest', (request, _reply, done) => {
      assertJsonIsDeclared(request.headers);
      done();
    });
    scope.addHook('onResponse', (request, _reply, done) => {
      if (request.apiKey) dependencies.countUsage(request.apiKey, request.problemCode ?? 'built');
      done();
    });
    registerTransferRoutes(scope, { builder: dependencies.builder, ...config });
  });
  registerPublicRoutes(app, { ...dependencies, readinessTimeoutMilliseconds: config.requestDeadlineMilliseconds });
  const { sandboxWorld } = dependencies;
  if (sandboxWorld) app.get('/sandbox/world', async () => sandboxWorld);
  return app;
}

function isUtf8(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === 'application/json') return true;
  const parameters = contentType.split(';').slice(1).join(';');
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(parameters)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

function assertHostIsNamed({ raw, headers }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new AppError('malformed_http', 'An HTTP/1.1 request needs one Host header.');
  }
}

function assertJsonIsDeclared(headers: IncomingHttpHeaders): void {
  if (headers['content-type'] === undefined) {
    throw new AppError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.');
  }
  if (!['', 'identity'].includes(headers['content-encoding'] ?? '')) {
    throw new AppError('unsupported_media_type', 'The body must be sent without a Content-Encoding.');
  }
}

// Fastify gives each request a child of the logger, which costs more than to name the request in each line.
function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const childless: FastifyBaseLogger = Object.create(logger, { child: { value: () => childless } });
  return childless;
}

// The route and not the path, which may hold anything: no query string, no body, no header is ever logged.
function logReply(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  request.log.info(
    {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
    },
    'request',
  );
  done();
}

function observeReply(observer: HttpObserver): onResponseHookHandler {
  return (request, reply, done) => {
    observer.answered(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime);
    done();
  };
}

// Caller-chosen ids end up in logs and headers: only short plain ones are taken over, and none that holds an API key.
function acceptRequestId(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || !/^[A-Za-z0-9._:-]{1,128}$/.test(header)) return undefined;
  return maskApiKeys(header) === header ? header : undefined;
}
