import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, isAppError, type ProblemCode, problems } from '../problems.ts';
import { maskApiKeys } from './api-key.ts';
import { problemBody, problemMediaType } from './problem-schema.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How the usage of a key counts a request that was not refused: as built, unless the route says otherwise. */
    usage?: 'answered';
    /** Whether pages of the origins in `CORS_ORIGINS` are kept out. */
    cors?: false;
  }

  interface FastifyRequest {
    /** The code of the problem that the request was answered with, otherwise `null`. */
    problemCode: ProblemCode | null;
  }

  interface FastifyInstance {
    /** Callers that are told more in a refusal. */
    refusalAudience?: RefusalAudience;
  }
}

/** Callers of some paths, whose refusals have headers of their own and a `message` for the people behind them. */
export interface RefusalAudience {
  asks: (url: string) => boolean;
  headers: Readonly<Record<string, string>>;
  describe: (code: ProblemCode) => string;
}

/** Sends a refusal: the problem body, its status, and the headers that belong to it. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  // As bytes: to a text Fastify would add a charset, a parameter that JSON does not have. A detail may repeat a path or
  // a field's name, which may be a key that was pasted into the wrong field.
  return startProblem(request, reply, error).send(Buffer.from(maskApiKeys(JSON.stringify(bodyOf(request, error)))));
}

/** Begins the reply of a refusal, whose body is still to be sent: its status, and the headers that belong to it. */
export function startProblem(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  const { status } = problems[error.code];
  request.problemCode = error.code;
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  // When the end of this request is in doubt, so is the beginning of the next one.
  if (error.code === 'malformed_http') reply.header('connection', 'close');
  if (status === 401) reply.header('www-authenticate', bearerChallenge(error.code));
  return (
    reply
      .code(status)
      .type(problemMediaType)
      // Also set by a hook, which a request that the router itself refuses never reaches.
      .headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .headers(audienceOf(request)?.headers ?? {})
  );
}

function bodyOf(request: FastifyRequest, error: AppError): object {
  const { code, payerMessage } = error;
  const audience = audienceOf(request);
  const message = audience && (payerMessage ?? audience.describe(code));
  return problemBody(code, error.message, request.id, { ...error, message });
}

function audienceOf({ server, url }: FastifyRequest): RefusalAudience | undefined {
  return server.refusalAudience?.asks(url) ? server.refusalAudience : undefined;
}

// RFC 6750, section 3: without credentials the challenge has only the scheme, with bad credentials also the error.
function bearerChallenge(code: ProblemCode): string {
  return code === 'api_key_missing' ? 'Bearer realm="splwright"' : 'Bearer realm="splwright", error="invalid_token"';
}

/** Answers a request whose handler threw with a refusal. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblem(request, reply, refusalOfError(error, request));
}

/** Returns whether a problem is a limit on what a caller may use: status 429 or 507, or `overloaded`. */
export function isLimit(code: ProblemCode): boolean {
  const { status }: { status: number } = problems[code];
  return status === 429 || status === 507 || code === 'overloaded';
}

/** Turns what a handler threw into a refusal. Details that are not for the caller go to the log only. */
function refusalOfError(error: unknown, request: FastifyRequest): AppError {
  if (isAppError(error)) {
    // An overloaded service has no time for a line each: the metrics count them.
    if (problems[error.code].status >= 500 && !isLimit(error.code)) logFailure(request, error);
    return error;
  }
  const known = isFastifyError(error) ? fromFastifyError(error) : undefined;
  if (known) return known;
  request.log.error({ request_id: request.id, err: error }, 'failed');
  const detail = 'The service failed on this request. Tell its operator the request_id if it happens again.';
  return new AppError('internal_error', detail);
}

// Only unforeseen failures get a stack trace: a fault of the service itself, or an exception behind the refusal. The cause of a
// foreseen failure is data, such as a connection's error code.
function logFailure(request: FastifyRequest, error: AppError): void {
  const { code, message: reason, cause } = error;
  const isUnforeseen = code === 'internal_error' || cause instanceof Error;
  const what = isUnforeseen ? { err: error } : { reason, ...(cause !== undefined && { cause }) };
  request.log.error({ request_id: request.id, code, ...what }, 'refused');
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

function fromFastifyError(error: FastifyError): AppError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_CONTENT_TYPE':
      return new AppError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.');
    case 'FST_ERR_BAD_URL':
      return new AppError('malformed_http', 'The path is not validly percent-encoded.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('route_not_found', 'There is nothing at this path, which is longer than any that there is.');
    // The caller hung up, so the reply is lost, but without it this would be logged as a failure of the service.
    case 'ECONNRESET':
      return new AppError('malformed_http', 'The connection ended before the body did.');
    default:
      return undefined;
  }
}

/** Answers a request that Node could not parse, on the bare socket, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = describeClientError(error.code);
  const { status } = problems[code];
  const body = JSON.stringify(problemBody(code, detail, requestId, {}));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${problemMediaType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nCache-Control: no-store\r\n` +
      `X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}

function describeClientError(code: string | undefined): [ProblemCode, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['headers_too_large', 'The headers are larger than this service takes. Send fewer or shorter ones.'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['request_timeout', 'The request did not arrive whole in time.'];
    default:
      return ['malformed_http', 'The request is not valid HTTP/1.1.'];
  }
}
