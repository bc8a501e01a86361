import { Pool } from 'undici';
import { AppError } from '../errors.ts';

/** How to reach one upstream. */
export interface RpcTransportOptions {
  url: string;
  /** Longest that one attempt may take, from connecting to the last byte, in milliseconds. */
  timeoutMilliseconds: number;
}

/** A JSON-RPC error as the node reported it. */
export interface RpcNodeError {
  code: number;
  message: string;
}

// Accounts of one request are some 10 KB; Token-2022 metadata can make a mint larger, but never near this.
const largestAnswerBytes = 8 * 1024 * 1024;
const maximumConnections = 64;

/**
 * Sends JSON-RPC requests to one Solana node over kept-alive connections.
 *
 * Integers beyond 2^53 in an answer arrive as exact `bigint`s. No error that leaves here holds the URL, which for hosted
 * nodes has a secret in it.
 */
export class RpcTransport {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #secrets: readonly string[];
  readonly #headers: Record<string, string>;
  readonly #timeoutMilliseconds: number;
  #nextId = 1;

  constructor(options: RpcTransportOptions) {
    const url = new URL(options.url);
    this.#path = url.pathname + url.search;
    this.#secrets = secretsOf(url);
    this.#headers = { 'content-type': 'application/json' };
    if (url.username || url.password) {
      const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      this.#headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    this.#timeoutMilliseconds = options.timeoutMilliseconds;
    this.#pool = new Pool(url.origin, {
      connections: maximumConnections,
      connect: { timeout: options.timeoutMilliseconds },
      keepAliveTimeout: 30_000,
    });
  }

  /**
   * Calls one method and returns its `result`, or the node's own error.
   *
   * Throws an `AppError`: `upstream_unavailable` when the node cannot be reached or refuses to serve, `upstream_timeout`
   * when it is too slow or `signal` says that the request has waited long enough, `upstream_error` for nonsense.
   */
  async call(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<{ result: unknown } | { error: RpcNodeError }> {
    const id = this.#nextId++;
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMilliseconds)]);
    const { statusCode, text } = await this.#post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), attempt);
    if (statusCode === 429 || statusCode === 503) throw unavailable(`it answered HTTP ${statusCode}`);
    const envelope = readEnvelope(text, id, statusCode);
    if (!('error' in envelope)) return envelope;
    const { code, message } = envelope.error;
    return { error: { code, message: withoutSecrets(message, this.#secrets) } };
  }

  /** Closes the connections, once what is under way has ended. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #post(body: string, signal: AbortSignal): Promise<{ statusCode: number; text: string }> {
    try {
      const response = await this.#pool.request({
        path: this.#path,
        method: 'POST',
        headers: this.#headers,
        body,
        signal,
      });
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of response.body) {
        length += chunk.length;
        if (length > largestAnswerBytes) throw nonsense(`its answer is larger than ${largestAnswerBytes} bytes`);
        chunks.push(chunk);
      }
      return { statusCode: response.statusCode, text: Buffer.concat(chunks).toString('utf8') };
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (signal.aborted) {
        throw tooSlow(error);
      }
      throw unavailable('the connection failed', error);
    }
  }
}

function readEnvelope(text: string, id: number, statusCode: number): { result: unknown } | { error: RpcNodeError } {
  let answer: unknown;
  try {
    answer = JSON.parse(text, exactIntegers);
  } catch {
    // Without its cause, which quotes the answer: an error page may quote the URL.
    throw nonsense(`it answered HTTP ${statusCode} with something that is not JSON`);
  }
  if (!isRecord(answer) || answer.id !== id) throw nonsense('its answer is not the answer to this request');
  if (isRecord(answer.error)) {
    const { code, message } = answer.error;
    if (typeof code !== 'number') throw nonsense('its error has no code');
    return { error: { code, message: typeof message === 'string' ? message : '' } };
  }
  if (statusCode !== 200 || !('result' in answer)) throw nonsense(`it answered HTTP ${statusCode} without a result`);
  return { result: answer.result };
}

const longestMessageKept = 300;

// Shorter parts are words such as `rpc` and `v2`.
const shortestSecret = 8;

function secretsOf(url: URL): readonly string[] {
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()];
  return parts.filter((part) => part.length >= shortestSecret);
}

// A node, or the gateway before it, may quote the request's URL in its error.
function withoutSecrets(message: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message).slice(0, longestMessageKept);
}

// The third argument is the ECMAScript proposal "JSON.parse source text access", which Node has and TypeScript not yet.
function exactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value);
  const source = context?.source;
  return isRounded && source !== undefined && /^-?[0-9]+$/.test(source) ? BigInt(source) : value;
}

/** Says whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The refusal for a node that cannot be reached or that refuses to serve. */
export function unavailable(why: string, cause?: unknown): AppError {
  return new AppError('upstream_unavailable', `The Solana node cannot serve this now: ${why}. Try again.`, {
    cause,
    retryAfterSeconds: 1,
  });
}

/** The refusal for a node that takes too long. */
export function tooSlow(cause?: unknown): AppError {
  return new AppError('upstream_timeout', 'The Solana node did not answer in time. Try again.', { cause });
}

/** The refusal for an answer that makes no sense. */
export function nonsense(why: string, cause?: unknown): AppError {
  return new AppError('upstream_error', `The Solana node gave an answer that makes no sense: ${why}.`, { cause });
}
