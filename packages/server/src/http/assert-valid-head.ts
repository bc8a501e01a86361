import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { maskApiKeys } from '../keys/api-key.ts';
import type { Route } from '../wire/routes/route.ts';
import { routeNames, routes } from '../wire/routes.ts';
import { sendProblem } from './problem-replies.ts';
import { routerPath } from './register-routes.ts';

/** The headers that a request may have only once, as refusals write them. */
const singleHeaders = ['Host', 'Authorization', 'Content-Type'] as const;

/**
 * Throws an `AppError` of status 400 for a request head that Node accepts but another server on the way may read differently.
 *
 * Relies on a server that joins repeated headers with a comma and a space.
 */
export function assertValidHead(request: IncomingMessage): void {
  const { headers } = request;
  const isVersion11 = request.httpVersion === '1.1';
  if (!isVersion11 && request.httpVersion !== '1.0') {
    throw new AppError('malformed_http', `This service speaks HTTP/1.1, not HTTP/${request.httpVersion}.`);
  }
  if (headers.host === undefined && isVersion11) {
    throw new AppError('malformed_http', 'An HTTP/1.1 request needs one Host header.');
  }
  if (mayBeJoined(headers.host) || mayBeJoined(headers.authorization) || mayBeJoined(headers['content-type'])) {
    for (const name of singleHeaders) assertSingle(name, request.rawHeaders);
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new AppError('malformed_http', 'The only Transfer-Encoding that this service takes is chunked.');
  }
}

function mayBeJoined(value: string | undefined): boolean {
  return value?.includes(', ') === true;
}

function assertSingle(name: string, rawHeaders: readonly string[]): void {
  const lowerCase = name.toLowerCase();
  const count = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === lowerCase).length;
  if (count > 1) {
    throw new AppError('malformed_http', `The request has ${count} ${name} headers and may have one. Send one.`);
  }
}

/**
 * Returns the id that the caller gave a request in `X-Request-Id`, otherwise a new UUID.
 *
 * Ids end up in logs and headers, so only one of up to 128 plain characters that holds no API key is taken over.
 */
export function requestIdOf(header: string | string[] | undefined): string {
  const isPlain = typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header);
  return isPlain && maskApiKeys(header) === header ? header : randomUUID();
}

const patterns = routeNames.map((name) => {
  const { method, path }: Route = routes[name];
  return { method, url: routerPath(path), pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
});

/** Refuses a request that no route handles: 405 with `Allow` when the path is known, otherwise 404. */
export function refuseUnknownRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const allowed = allowedMethods(app, path);
  if (allowed === undefined) {
    const detail = `There is nothing at ${path.slice(0, 200)}. See /openapi.json for the paths of this service.`;
    return sendProblem(request, reply, new AppError('route_not_found', detail));
  }
  reply.header('allow', allowed);
  const detail = `${path} takes ${allowed}, not ${request.method}.`;
  return sendProblem(request, reply, new AppError('method_not_allowed', detail));
}

function allowedMethods(app: FastifyInstance, path: string): string | undefined {
  const methods = patterns
    .filter(({ method, url, pattern }) => pattern.test(path) && app.hasRoute({ method, url }))
    .map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method));
  return methods.length === 0 ? undefined : methods.join(', ');
}
