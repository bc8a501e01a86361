import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../problems.ts';
import { maskApiKeys } from './api-key.ts';

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
 * Ids end up in logs and headers: only one of up to 128 plain characters without an API key in it is accepted.
 */
export function requestIdOf(header: string | string[] | undefined): string {
  const isPlain = typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header);
  return isPlain && maskApiKeys(header) === header ? header : randomUUID();
}
