import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../problems.ts';
import { JsonBounds } from './json-bounds.ts';
import { readJson } from './read-json.ts';
import { compileShape } from './read-shape.ts';
import { closed } from './schema-parts.ts';
import { invalidRequest } from './validate.ts';
import { workOf } from './work-of.ts';

// A larger body takes long enough to be read in a turn of its own.
const maxTurnBytes = 16_384;

/**
 * Makes a server parse JSON bodies with the project's own reader, and no bodies of other types.
 *
 * Refuses a body that is larger than its route allows (413), one in another charset than UTF-8 (415) and text that is not JSON (400).
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    receiveBody(payload, request.routeOptions.bodyLimit ?? 0, (body) => parseBody(request, body, done));
  });
}

/**
 * Makes the routes of a scope, which need no body, accept an empty one with any Content-Type: many clients send that header with every
 * request. A body that is not empty is parsed as everywhere else, and refused (415) unless it is declared as JSON.
 */
export function acceptEmptyBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  for (const type of ['application/json', '*'] as const) {
    scope.addContentTypeParser(type, (request, payload, done) => {
      receiveBody(payload, request.routeOptions.bodyLimit ?? 0, (body) => {
        if (!(body instanceof Error) && body.length === 0) done(null, undefined);
        else if (type === 'application/json') parseBody(request, body, done);
        else done(new AppError('unsupported_media_type', 'Send no body, or an empty JSON object as application/json.'));
      });
    });
  }
}

/** The codes of the refusals of a route that needs no body. */
export const refusalsOfEmptyBodies = [
  'invalid_json',
  'invalid_request',
  'unknown_field',
  'wrong_type',
  'body_too_large',
  'unsupported_media_type',
] as const;

const readEmptyBody = compileShape(Type.Object({}, closed));

/** Throws an `AppError` of the code `invalid_request` unless a body is absent, null or an empty object. */
export function assertEmptyBody(body: unknown): void {
  const { findings } = readEmptyBody(body ?? {});
  if (findings.length > 0) throw invalidRequest(findings, body);
}

function parseBody(
  request: FastifyRequest,
  body: Buffer | Error,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const parse = (bytes: Buffer): void => {
    const read = readJson(bytes);
    if ('fault' in read) done(new AppError('invalid_json', read.fault));
    else done(null, read.value);
  };
  if (body instanceof Error) {
    done(body);
  } else if (!isUtf8(request.headers['content-type'])) {
    done(new AppError('unsupported_media_type', 'The body must be UTF-8.'));
  } else if (body.length <= maxTurnBytes) {
    parse(body);
  } else {
    workOf(request)
      .next()
      .then(() => parse(body))
      .catch(done);
  }
}

/** Returns the parsed body of a request. Throws an `AppError` of the code `invalid_json` when the request has none. */
export function bodyOf({ body }: FastifyRequest): unknown {
  if (body === undefined) throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
  return body;
}

/** Makes the routes of a scope refuse (415) a request without a Content-Type, or with a Content-Encoding. */
export function requireDeclaredJson(scope: FastifyInstance): void {
  scope.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-type'] === undefined) {
      throw new AppError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.');
    }
    if (!['', 'identity'].includes(headers['content-encoding'] ?? '')) {
      throw new AppError('unsupported_media_type', 'The body must be sent without a Content-Encoding.');
    }
    done();
  });
}

function isUtf8(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === 'application/json') return true;
  const parameters = contentType.split(';').slice(1).join(';');
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(parameters)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

/**
 * Passes the body of a request on once it is whole, or the error when it is larger than `limitBytes`, would take long to parse as JSON,
 * or does not arrive.
 *
 * A body that arrives with its head is passed on as it is. Listening to the events of its stream costs as much as parsing it.
 */
export function receiveBody(
  request: IncomingMessage,
  limitBytes: number,
  receive: (body: Buffer | Error) => void,
): void {
  if (Number(request.headers['content-length']) > limitBytes) receive(tooLarge(limitBytes));
  // Its sender has hung up: no event of its stream comes any more.
  else if (!request.complete && request.errored) receive(request.errored);
  else (request.complete ? takeWhole : collect)(request, limitBytes, receive);
}

function takeWhole(request: IncomingMessage, limitBytes: number, receive: (body: Buffer | Error) => void): void {
  const bytes: unknown = request.read();
  const body = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
  receive(body.length > limitBytes ? tooLarge(limitBytes) : (excessOf(new JsonBounds(), body) ?? body));
}

const firstCapacityBytes = 16_384;

function collect(request: IncomingMessage, limitBytes: number, receive: (body: Buffer | Error) => void): void {
  const bounds = new JsonBounds();
  // Copied, since each chunk is an object of its own, and may have a single byte.
  let bytes = Buffer.alloc(0);
  let length = 0;
  const settle = (body: Buffer | Error): void => {
    request.off('data', onData).off('end', onEnd).off('error', settle);
    receive(body);
  };
  const onData = (chunk: Buffer): void => {
    const error = length + chunk.length > limitBytes ? tooLarge(limitBytes) : excessOf(bounds, chunk);
    if (error) {
      settle(error);
      return;
    }
    // Only once some of it has arrived that may stay.
    if (length === 0) bytes = Buffer.allocUnsafe(Number(request.headers['content-length'] ?? firstCapacityBytes));
    if (length + chunk.length > bytes.length) bytes = Buffer.concat([bytes], 2 * (length + chunk.length));
    length += chunk.copy(bytes, length);
  };
  const onEnd = (): void => settle(bytes.subarray(0, length));
  request.on('data', onData).on('end', onEnd).on('error', settle);
}

function excessOf(bounds: JsonBounds, bytes: Buffer): AppError | undefined {
  const excess = bounds.excessWith(bytes);
  return excess === undefined ? undefined : new AppError('invalid_json', excess);
}

function tooLarge(limitBytes: number): AppError {
  return new AppError(
    'body_too_large',
    `The body is larger than the ${limitBytes} bytes that this service takes. Send a smaller one.`,
  );
}
