import { Pool } from 'undici';
import { exchange } from './http-exchange.ts';
import { isRecord, parseExactly, RoundedInteger } from './json-values.ts';
import { faultOfNodeError, faultOfStatus, type RpcNodeError } from './node-errors.ts';
import { malformed } from './upstream-faults.ts';

/** How to reach one upstream. */
export interface RpcTransportOptions {
  url: string;
  /** Longest that one attempt may take, from connecting to the last byte, in milliseconds. */
  timeoutMilliseconds: number;
}

/** One call, and how its result is read. */
export interface RpcRequest<T> {
  method: string;
  params: readonly unknown[];
  /** Throws an `UpstreamFault` for what makes no sense, and a `RoundedInteger` for an integer to be parsed exactly. */
  read: (result: unknown) => T;
  /** The slot that an answer is of, when it has one. */
  slotOf?: (answer: T) => bigint;
  /** An answer longer than this makes no sense, and is not read to its end. */
  mostAnswerBytes: number;
}

const maximumConnections = 64;

/**
 * Sends JSON-RPC requests to one Solana node over kept-alive connections.
 *
 * No error that leaves here holds the URL, which for hosted nodes has a secret in it.
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
      // Over one HTTP/2 connection all calls would share the fate of that connection.
      allowH2: false,
    });
  }

  /**
   * Calls one method and returns what is read of its result, within so many milliseconds and the longest of one attempt, and
   * before `signal` says that it takes too long.
   *
   * Throws an `UpstreamFault`.
   */
  async call<T>(request: RpcRequest<T>, remainingMilliseconds: number, signal?: AbortSignal): Promise<T> {
    const { method, params, read, mostAnswerBytes } = request;
    const id = this.#nextId++;
    const { statusCode, headers, text } = await exchange(this.#pool, {
      path: this.#path,
      headers: this.#headers,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      timeoutMilliseconds: Math.min(remainingMilliseconds, this.#timeoutMilliseconds),
      mostAnswerBytes,
      signal,
    });
    const fault = faultOfStatus(statusCode, headers['retry-after']);
    if (fault) throw fault;
    const envelope = readEnvelope(parse(text, statusCode), id, statusCode);
    if (!('error' in envelope)) return readExactly(text, envelope.result, read);
    const { code, message } = envelope.error;
    throw faultOfNodeError(method, { code, message: withoutSecrets(message, this.#secrets) });
  }

  /** Closes the connections, once what is under way has ended. */
  async close(): Promise<void> {
    await this.#pool.close();
  }
}

function parse(text: string, statusCode: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without its cause, which quotes the answer: an error page may quote the URL.
    throw malformed(`it answered HTTP ${statusCode} with something that is not JSON`);
  }
}

// Plain parsing is many times faster, and exact for all but a few answers: those are parsed twice.
function readExactly<T>(text: string, result: unknown, read: (result: unknown) => T): T {
  try {
    return read(result);
  } catch (error) {
    if (!(error instanceof RoundedInteger)) throw error;
  }
  const exact = parseExactly(text);
  try {
    return read(isRecord(exact) ? exact.result : undefined);
  } catch (error) {
    throw error instanceof RoundedInteger ? malformed(`${error.message} is not an unsigned integer`) : error;
  }
}

function readEnvelope(answer: unknown, id: number, statusCode: number): { result: unknown } | { error: RpcNodeError } {
  if (!isRecord(answer) || answer.id !== id) throw malformed('its answer is not the answer to this request');
  if (isRecord(answer.error)) {
    const { code, message } = answer.error;
    if (typeof code !== 'number') throw malformed('its error has no code');
    return { error: { code, message: typeof message === 'string' ? message : '' } };
  }
  if (statusCode !== 200 || !('result' in answer)) throw malformed(`it answered HTTP ${statusCode} without a result`);
  return { result: answer.result };
}

const longestMessageKept = 300;

// Shorter parts are words such as `rpc` and `v2`.
const shortestSecret = 8;

function secretsOf(url: URL): readonly string[] {
  // Some providers have a name of the customer's in the host.
  const parts = [url.hostname, url.username, url.password, ...url.pathname.split('/'), ...url.search.split(/[?&=]/)];
  const asTexts = parts.flatMap((part) => [part, decodeText(part)]);
  return [...new Set(asTexts)].filter((part) => part.length >= shortestSecret);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A node, or the gateway before it, may quote the request's URL in its error.
function withoutSecrets(message: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message).slice(0, longestMessageKept);
}
