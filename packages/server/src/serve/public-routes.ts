import type { FastifyBaseLogger, FastifyInstance, RouteHandlerMethod } from 'fastify';
import { Type } from 'typebox';
import { documentHandler, type StaticDocument } from '../app/document-handler.ts';
import type { Drain } from '../app/drain.ts';
import { asksForPage, placesOf, problemDocument, sendRefusalPage } from '../app/pages/problem-pages.ts';
import { livenessSchema, type Readiness, readinessSchema, sandboxWorldSchema } from '../app/public-schema.ts';
import { refusalsOf, replyOf } from '../app/route-schema.ts';
import { enumeration, sandboxWorldPath } from '../app/schema-parts.ts';
import type { Consensus, UpstreamHealth } from '../chain/chain-reader.ts';
import { AppError, problems } from '../problems.ts';

/** Checks one thing that the service needs: rejects when it does not work. `deadline` is a reading of `performance.now`. */
export type ReadinessCheck = (deadline: number) => Promise<void>;

/** Checks every upstream. `deadline` is a reading of `performance.now`. */
export type UpstreamsCheck = (deadline: number) => Promise<readonly UpstreamHealth[]>;

export interface HealthRouteOptions {
  readinessChecks: Readonly<Record<string, ReadinessCheck>>;
  checkUpstreams: UpstreamsCheck;
  /** Resolves with the consensus of the cluster, where it is known. */
  readConsensus: () => Promise<Consensus | undefined>;
  readinessTimeoutMs: number;
  /** While the service stops it is not ready, whatever the checks say. */
  drain: Drain;
}

// The checks ask the database and every node, and `/readyz` needs no key: they run up to four times a second.
const readinessHoldMs = 250;

const stopping: Readiness = { status: 'stopping', checks: {}, upstreams: {} };

/** Registers liveness and readiness, which are answered whatever the load. */
export function registerHealthRoutes(app: FastifyInstance, options: HealthRouteOptions): void {
  app.get('/livez', routes.isAlive, (_request, reply) => reply.send({ status: 'alive' }));
  app.get('/readyz', routes.isReady, readinessHandler(app.log, options));
}

/**
 * Registers the documents that anyone may read: the API's description, the problem pages, and the wallets, mints and nonce accounts of
 * the sandbox, of which there are none on a real network.
 */
export function registerDocumentRoutes(app: FastifyInstance, sandboxWorld: object | undefined): void {
  const description = documentHandler(async () => jsonDocument(app.swagger()));
  app.get(documentPath, routes.describeApi, description);
  app.get('/problems/:code', routes.explainProblem, problemHandler(app));
  if (sandboxWorld) {
    const world = documentHandler(async () => jsonDocument(sandboxWorld));
    app.get(sandboxWorldPath, routes.showSandboxWorld, world);
  }
}

/** Where the OpenAPI document is. */
export const documentPath = '/openapi.json';

const config = { cors: false as const };
const described = { tags: ['Service'], security: [] };
const ready: Readiness = {
  status: 'ready',
  checks: { upstream: 'ok', keys: 'ok' },
  upstreams: { upstream_1: { status: 'ok' } },
};

const routes = {
  isAlive: {
    config,
    schema: {
      operationId: 'isAlive',
      summary: 'Check the process',
      description: 'For a supervisor that restarts a process which does not answer. It checks nothing else.',
      ...described,
      response: {
        200: replyOf('The process is running.', livenessSchema, {
          examples: { alive: { value: { status: 'alive' } } },
        }),
        ...refusalsOf([]),
      },
    },
  },
  isReady: {
    config,
    schema: {
      operationId: 'isReady',
      summary: 'Check the readiness',
      description: 'For a load balancer, which should send requests only to a service that is ready.',
      ...described,
      response: {
        200: replyOf('The service is ready.', readinessSchema, { examples: { ready: { value: ready } } }),
        503: replyOf('The service is not ready.', readinessSchema, { examples: { stopping: { value: stopping } } }),
        ...refusalsOf([]),
      },
    },
  },
  describeApi: {
    schema: {
      operationId: 'describeApi',
      summary: 'Read this document',
      description: 'Made from the routes of the service and their schemas.',
      ...described,
      response: {
        200: replyOf('The OpenAPI document of the running service.', Type.Unsafe({ type: 'object' })),
        ...refusalsOf([]),
      },
    },
  },
  explainProblem: {
    config,
    schema: {
      operationId: 'explainProblem',
      summary: 'Explain a problem',
      description: 'The `type` of every refusal leads here.',
      ...described,
      params: Type.Object({
        code: enumeration(Object.keys(problems), {
          description: 'The `code` of a refusal.',
          examples: ['invalid_request'],
        }),
      }),
      response: {
        200: replyOf('A page for people.', Type.String(), { mediaType: 'text/html' }),
        ...refusalsOf([], ['route_not_found']),
      },
    },
  },
  showSandboxWorld: {
    config,
    schema: {
      operationId: 'showSandboxWorld',
      summary: 'Show the sandbox',
      description: 'They are the same at every start. The keys are public: never use them on a real network.',
      tags: ['Sandbox'],
      security: [],
      response: {
        200: replyOf('Addresses and secret keys, which are valid in this sandbox only.', sandboxWorldSchema),
        ...refusalsOf([]),
      },
    },
  },
};

function jsonDocument(value: object): StaticDocument {
  return { text: JSON.stringify(value), headers: { 'content-type': 'application/json; charset=utf-8' } };
}

function problemHandler(app: FastifyInstance): RouteHandlerMethod {
  /** By code; that of all problems has none. */
  const pages = new Map<string, ReturnType<typeof documentHandler>>();
  return async (request, reply) => {
    const { isProblemCode, problemIndexPage, problemPage } = await import('../app/pages/problem-page.ts');
    const code = String(Object(request.params).code);
    // Programs get what they always got.
    const isForBrowser = asksForPage(request);
    if (!isProblemCode(code) && !(isForBrowser && code === '')) {
      const error = new AppError('route_not_found', 'Unknown error code.');
      if (isForBrowser) return sendRefusalPage(request, reply, error);
      throw error;
    }
    const places = placesOf(app);
    const make = () => problemDocument(isProblemCode(code) ? problemPage(code, places) : problemIndexPage(places));
    const page = pages.get(code) ?? documentHandler(make);
    pages.set(code, page);
    return page(request, code === '' ? reply.header('vary', 'Accept') : reply);
  };
}

function readinessHandler(log: FastifyBaseLogger, options: HealthRouteOptions): RouteHandlerMethod {
  const readiness = shareCheck(
    () => checkReadiness(log, options),
    readinessHoldMs,
    () => performance.now(),
  );
  return async (_request, reply) => {
    const body: Readiness = options.drain.isDraining ? stopping : await readiness();
    return reply.code(body.status === 'ready' ? 200 : 503).send(body);
  };
}

async function checkReadiness(log: FastifyBaseLogger, options: HealthRouteOptions): Promise<Readiness> {
  const deadline = performance.now() + options.readinessTimeoutMs;
  const names = Object.keys(options.readinessChecks);
  const [upstreams, results] = await Promise.all([
    options.checkUpstreams(deadline),
    Promise.allSettled(Object.values(options.readinessChecks).map((check) => check(deadline))),
  ]);
  const isServed = upstreams.some(({ reason }) => reason === undefined);
  const checks: Readiness['checks'] = { upstream: isServed ? 'ok' : 'failed' };
  for (const [index, result] of results.entries()) {
    const name = names[index] ?? '';
    checks[name] = result.status === 'fulfilled' ? 'ok' : 'failed';
    if (result.status === 'rejected') log.warn({ err: result.reason, check: name }, 'not ready');
  }
  // Without a node that answers there is none to ask.
  const consensus = isServed ? await options.readConsensus() : undefined;
  const isReady = Object.values(checks).every((outcome) => outcome === 'ok');
  const body: Readiness = {
    status: isReady ? 'ready' : 'not_ready',
    checks,
    upstreams: Object.fromEntries(upstreams.map(readinessOf)),
    ...(consensus && { consensus }),
  };
  if (!isServed) log.warn({ check: 'upstream', upstreams: body.upstreams }, 'not ready');
  return body;
}

function readinessOf({ name, reason, slotLag }: UpstreamHealth): [string, Readiness['upstreams'][string]] {
  const lag = slotLag === undefined ? {} : { slot_lag: Number(slotLag) };
  return [name, { status: reason === undefined ? 'ok' : 'failed', ...(reason !== undefined && { reason }), ...lag }];
}

/**
 * Shares one run of a check among all callers at the same time, and keeps its answer for `holdMs` afterwards.
 *
 * However often it is called, the check runs at most once in `holdMs`. `now` is the monotonic clock in milliseconds.
 */
export function shareCheck<T>(check: () => Promise<T>, holdMs: number, now: () => number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let holdsUntil = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer && now() < holdsUntil) return answer;
    holdsUntil = Number.POSITIVE_INFINITY;
    answer = check().finally(() => {
      holdsUntil = now() + holdMs;
    });
    return answer;
  };
}
