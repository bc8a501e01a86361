import type { FastifyInstance } from 'fastify';
import { AppError, type ProblemCode, problems } from '../errors.ts';
import { openApiDocument } from '../wire/openapi.ts';
import { problemPage } from '../wire/problem-page.ts';

/** One thing that must work before the service can take requests. Resolves when it does, by a moment of `performance.now`. */
export type ReadinessCheck = (deadline: number) => Promise<void>;

/** What the routes that need no key are told. */
export interface PublicRouteOptions {
  version: string;
  readinessChecks: Readonly<Record<string, ReadinessCheck>>;
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
    const results = await Promise.allSettled(Object.values(options.readinessChecks).map((check) => check(deadline)));
    const checks: Record<string, string> = {};
    for (const [index, result] of results.entries()) {
      const name = names[index] ?? '';
      checks[name] = result.status === 'fulfilled' ? 'ok' : 'failed';
      if (result.status === 'rejected')
        request.log.warn({ request_id: request.id, err: result.reason, check: name }, 'not ready');
    }
    const isReady = results.every((result) => result.status === 'fulfilled');
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not_ready', checks });
  });
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
