import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { documentHandler, type StaticDocument } from '../app/document-handler.ts';
import type { Drain } from '../app/drain.ts';
import type { LimitedKey } from '../app/limited-keys.ts';
import type { Readiness } from '../app/openapi/public-schema.ts';
import { asksForPage, placesOf, sendProblemPage, sendRefusalPage } from '../app/pages/problem-pages.ts';
import type { Consensus, UpstreamHealth } from '../chain/chain-reader.ts';
import { AppError } from '../problems.ts';
import { registerRoutes } from './register-routes.ts';

/** Checks one thing that the service needs: rejects when it does not work. `deadline` is a reading of `performance.now`. */
export type ReadinessCheck = (deadline: number) => Promise<void>;

/** Checks every upstream. `deadline` is a reading of `performance.now`. */
export type UpstreamsCheck = (deadline: number) => Promise<readonly UpstreamHealth[]>;

/** What the routes that need no key use. */
export interface PublicRouteOptions {
  version: string;
  readinessChecks: Readonly<Record<string, ReadinessCheck>>;
  checkUpstreams: UpstreamsCheck;
  /** Resolves with the consensus of the cluster, where it is known. */
  readConsensus: () => Promise<Consensus | undefined>;
  readinessTimeoutMs: number;
  /** The API keys that are refused by a limit now. */
  limitedKeys: () => readonly LimitedKey[];
  /** While the service stops it is not ready, whatever the checks say. */
  drain: Drain;
  /** The wallets, mints and nonce accounts of the sandbox; absent on a real network. */
  sandboxWorld?: object;
}

// The checks ask the database and every node, and `/readyz` needs no key: they run up to four times a second.
const readinessHoldMs = 250;

const stopping: Readiness = { status: 'stopping', checks: {}, upstreams: {} };

/** Registers the routes that need no key: the API's description, the problem pages, liveness, readiness, the sandbox's world. */
export function registerPublicRoutes(app: FastifyInstance, options: PublicRouteOptions): void {
  const { version, sandboxWorld } = options;
  registerRoutes(app, {
    describeApi: documentHandler(async () => {
      const { openApiDocument } = await import('../app/openapi/document.ts');
      return jsonDocument(openApiDocument(version, sandboxWorld !== undefined));
    }),
    isAlive: (_request, reply) => reply.send({ status: 'alive' }),
    isReady: readinessHandler(app.log, options),
    explainProblem,
    ...(sandboxWorld && { showSandboxWorld: documentHandler(async () => jsonDocument(sandboxWorld)) }),
  });
}

function jsonDocument(value: object): StaticDocument {
  return { text: JSON.stringify(value), headers: { 'content-type': 'application/json; charset=utf-8' } };
}

async function explainProblem(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { isProblemCode, problemIndexPage, problemPage } = await import('../app/pages/problem-page.ts');
  const code = String(Object(request.params).code);
  const places = placesOf(request.server);
  if (isProblemCode(code)) return sendProblemPage(reply, problemPage(code, places));
  // Programs get what they always got.
  const isForBrowser = asksForPage(request);
  if (isForBrowser && code === '') return sendProblemPage(reply.header('vary', 'Accept'), problemIndexPage(places));
  const error = new AppError('route_not_found', 'There is no problem of this code.');
  if (isForBrowser) return sendRefusalPage(request, reply, error);
  throw error;
}

function readinessHandler(log: FastifyBaseLogger, options: PublicRouteOptions): RouteHandlerMethod {
  const readiness = shareCheck(
    () => checkReadiness(log, options),
    readinessHoldMs,
    () => performance.now(),
  );
  return async (_request, reply) => {
    const body: Readiness = options.drain.isDraining ? stopping : { ...(await readiness()), ...limitsOf(options) };
    return reply.code(body.status === 'ready' ? 200 : 503).send(body);
  };
}

function limitsOf({ limitedKeys }: PublicRouteOptions): Pick<Readiness, 'limited_keys'> {
  const limited = limitedKeys().map(({ keyId, code }) => ({ key_id: keyId, code }));
  return limited.length > 0 ? { limited_keys: limited } : {};
}

async function checkReadiness(log: FastifyBaseLogger, options: PublicRouteOptions): Promise<Readiness> {
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
