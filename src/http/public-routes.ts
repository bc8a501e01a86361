import type { FastifyInstance } from 'fastify';
import { AppError, type ProblemCode, problems } from '../errors.ts';
import { openApiDocument } from '../wire/openapi.ts';
import { problemPage } from '../wire/problem-page.ts';
import type { Readiness } from '../wire/readiness.ts';

/** One thing that must work before the service can take requests. Resolves when it does, by a moment of `performance.now`. */
export type ReadinessCheck = (deadline: number) => Promise<void>;

/** How one upstream is now. */
export interface UpstreamHealth {
  /** What it is called: never its URL. */
  name: string;
  /** Why requests cannot be answered with its help; absent when they can. */
  reason: string | undefined;
  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  slotLag: bigint | undefined;
}

/** Asks every upstream how it is, by a moment of `performance.now`. */
export type UpstreamsCheck = (deadline: number) => Promise<readonly UpstreamHealth[]>;

/** What the routes that need no key are told. */
export interface PublicRouteOptions {
  version: string;
  readinessChecks: Readonly<Record<string, ReadinessCheck>>;
  checkUpstreams: UpstreamsCheck;
  readinessTimeoutMilliseconds: number;
}

/** Registers the routes that anybody may read: the API's description, the problem pages, liveness and readiness. */
export function registerPublicRoutes(app: FastifyInstance, options: PublicRouteOptions): void {
  const document = openApiDocument(options.version);
  app.get('/openapi.json', async () => document);

  app.get<{ Params: { code: string } }>('/problems/:code', async (request, reply) => {
    const { code } = request.params;
    if (!isProblemCode(code)) throw new AppError('route_not_found', 'There is no problem of this code.');
    return reply.type('text/html; charset=utf-8').send(problemPage(code));
  });

  app.get('/livez', async () => ({ status: 'alive' }));

  app.get('/readyz', async (request, reply) => {
    const deadline = performance.now() + options.readinessTimeoutMilliseconds;
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
      if (result.status === 'rejected')
        request.log.warn({ request_id: request.id, err: result.reason, check: name }, 'not ready');
    }
    const isReady = Object.values(checks).every((outcome) => outcome === 'ok');
    const body: Readiness = {
      status: isReady ? 'ready' : 'not_ready',
      checks,
      upstreams: Object.fromEntries(upstreams.map(readinessOf)),
    };
    if (!isServed)
      request.log.warn({ request_id: request.id, check: 'upstream', upstreams: body.upstreams }, 'not ready');
    return reply.code(isReady ? 200 : 503).send(body);
  });
}

function readinessOf({ name, reason, slotLag }: UpstreamHealth): [string, Readiness['upstreams'][string]] {
  const lag = slotLag === undefined ? {} : { slot_lag: Number(slotLag) };
  return [name, { status: reason === undefined ? 'ok' : 'failed', ...(reason !== undefined && { reason }), ...lag }];
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
