import { visibleText } from '../../app/visible-text.ts';
import type { Environment } from '../../config/variables.ts';
import { sandboxApiKey } from '../../keys/authenticated-key.ts';
import { ownCommand } from '../own-command.ts';
import { RefusedError, UsageError } from '../parse-arguments.ts';

const loopbackHost = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;
const visibleAscii = /^[!-~]+$/;
const timeoutMs = 30_000;

/** One request to `/v1/payment-links`. */
export interface LinksRequest {
  method: 'GET' | 'POST';
  /** What follows `/v1/payment-links`. */
  path: string;
  body?: unknown;
  idempotencyKey?: string | undefined;
}

/** Asks the running service, and returns the JSON object that it answers. Throws a `RefusedError`, or a `UsageError`. */
export async function askService(environment: Environment, request: LinksRequest): Promise<object> {
  const base = readBaseUrl(environment);
  const reply = await send(base, readApiKey(environment, base), request);
  const body = await readObject(reply, base);
  if (reply.ok) return body;
  throw new RefusedError(wordsOfProblem(body, reply.status));
}

function readBaseUrl(environment: Environment): URL {
  const text = environment.SPLWRIGHT_URL?.trim() || `http://127.0.0.1:${environment.PORT?.trim() || 3000}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new UsageError('SPLWRIGHT_URL must be an http:// or https:// URL, such as https://pay.example');
}

function readApiKey(environment: Environment, { hostname }: URL): string {
  const key = environment.SPLWRIGHT_API_KEY?.trim();
  // The message of a request that cannot be sent would repeat it.
  if (key && !visibleAscii.test(key)) throw new UsageError('SPLWRIGHT_API_KEY has a character that no API key has');
  if (key) return key;
  if (loopbackHost.test(hostname)) return sandboxApiKey;
  throw new UsageError(`SPLWRIGHT_API_KEY is missing: ${ownCommand('keys', 'create')} makes an API key`);
}

async function send(
  base: URL,
  apiKey: string,
  { method, path, body, idempotencyKey }: LinksRequest,
): Promise<Response> {
  const url = `${base.href.replace(/\/+$/, '')}/v1/payment-links${path}`;
  try {
    return await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The target of a redirect would get the API key.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RefusedError(
      `${base.origin} cannot be reached: ${visibleText(reason)}. Start the service, or set SPLWRIGHT_URL.`,
      { cause: error },
    );
  }
}

async function readObject(reply: Response, base: URL): Promise<object> {
  try {
    const value: unknown = await reply.json();
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Not JSON, or not all of it.
  }
  throw new RefusedError(`${base.origin} answered ${reply.status}, and not with JSON as this service does.`);
}

/** The words of a problem document: one line for each of its errors, or its detail where it has none. */
function wordsOfProblem(problem: object, status: number): string {
  const errors = 'errors' in problem && Array.isArray(problem.errors) ? problem.errors : [];
  const details = errors.flatMap((error: unknown) =>
    typeof error === 'object' && error !== null ? (textOf(error, 'detail') ?? []) : [],
  );
  const detail = textOf(problem, 'detail') ?? textOf(problem, 'title') ?? `The service answered ${status}.`;
  // The detail of a problem with errors repeats the first of them.
  return (details.length > 0 ? details : [detail]).map(visibleText).join('\n');
}

function textOf(value: object, name: string): string | undefined {
  const text: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof text === 'string' ? text : undefined;
}
