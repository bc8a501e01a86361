import { createHmac } from 'node:crypto';
import { errors, Pool } from 'undici';
import { quoteText } from '../app/visible-text.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { AppError } from '../problems.ts';

/** Where a Kora server is, and how it knows this service. */
export interface KoraOptions {
  url: string;
  apiKey?: string | undefined;
  hmacSecret?: string | undefined;
  /** Of one call. */
  timeoutMs: number;
}

const maxAnswerBytes = 262_144;
const retryAfterSeconds = 5;

/** Calls the JSON-RPC of a Kora server. */
export class KoraClient {
  readonly #options: KoraOptions;
  readonly #pool: Pool;

  constructor(options: KoraOptions) {
    this.#options = options;
    this.#pool = new Pool(new URL(options.url).origin, { connections: 32, maxResponseSize: maxAnswerBytes });
  }

  /**
   * Resolves with the result of a method.
   *
   * Throws an `AppError`: `sponsor_unavailable`, `sponsor_timeout`, `sponsor_refused` with the reason, or `sponsor_error` for an answer that
   * is none.
   */
  async call(method: string, params: object, deadline: Deadline): Promise<unknown> {
    const { timeoutMs } = this.#options;
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(timeoutMs, deadline - performance.now()))));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    let status: number;
    let text: string;
    try {
      const { pathname, search } = new URL(this.#options.url);
      const headers = { 'content-type': 'application/json', ...this.#credentials(body) };
      const answer = await this.#pool.request({ method: 'POST', path: pathname + search, headers, body, signal });
      status = answer.statusCode;
      text = await answer.body.text();
    } catch (error) {
      if (signal.aborted) throw new AppError('sponsor_timeout', 'The sponsor did not answer in time. Try again.');
      if (error instanceof errors.ResponseExceededMaxSizeError) throw senseless(method);
      throw unavailable('The sponsor cannot be reached. Try again soon.', error);
    }
    if (status === 401 || status === 403) throw credentialsRefused();
    if (status === 429 || status >= 500) throw unavailable(`The sponsor answered with HTTP ${status}. Try again soon.`);
    return resultOf(method, text);
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #credentials(body: string): Record<string, string> {
    const { apiKey, hmacSecret } = this.#options;
    if (apiKey !== undefined) return { 'x-api-key': apiKey };
    if (hmacSecret === undefined) return {};
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', hmacSecret)
      .update(timestamp + body)
      .digest('hex');
    return { 'x-timestamp': timestamp, 'x-hmac-signature': signature };
  }
}

/** The codes of errors for which the sponsor itself is at fault, and not the transaction. */
const ownFaults: ReadonlySet<unknown> = new Set([-32_020, -32_030, -32_090, -32_091, -32_092, -32_093]);
const unauthorized = -32_032;
const methodNotFound = -32_601;

function resultOf(method: string, text: string): unknown {
  const { result, error } = Object(parseJson(text));
  if (result !== undefined && result !== null) return result;
  const { code, message } = Object(error);
  if (typeof code !== 'number' || typeof message !== 'string') throw senseless(method);
  if (code === unauthorized) throw credentialsRefused();
  if (code === methodNotFound)
    throw unavailable(`The sponsor does not offer ${method}. Its operator turns it on in enabled_methods.`);
  const reason = quoteText(message.slice(0, 300));
  if (ownFaults.has(code)) throw unavailable(`The sponsor cannot sign now: ${reason} (${code}). Try again soon.`);
  throw new AppError('sponsor_refused', `The sponsor refuses this transaction: ${reason} (${code}).`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function senseless(method: string): AppError {
  return sponsorFault(`its answer to ${method} makes no sense`);
}

/** The fault of a sponsor that answers what must not be used; `what` ends the sentence. */
export function sponsorFault(what: string): AppError {
  return new AppError('sponsor_error', `The sponsor is at fault: ${what}. Nothing was handed out.`);
}

function credentialsRefused(): AppError {
  const remedy = 'The operator sets SPONSOR_API_KEY or SPONSOR_HMAC_SECRET as the sponsor has it.';
  return unavailable(`The sponsor does not accept the credentials of this service. ${remedy}`);
}

function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('sponsor_unavailable', detail, { retryAfterSeconds, cause });
}
