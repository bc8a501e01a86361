import { isRecord, parseExactly, RoundedInteger } from '../json-values.ts';
import { malformed } from '../upstream-faults.ts';
import { exchange } from './http-exchange.ts';
import { faultOfNodeError, faultOfStatus, type RpcNodeError } from './node-errors.ts';
import { Pool } from './undici-pool.ts';

/** How to reach one upstream. */
export interface RpcTransportOptions {
  url: string;
  /** How long one attempt may take, from connecting to the last byte. */
  timeoutMs: number;
}

/** One call, and how its result is read. */
export interface RpcRequest<T> {
  method: string;
  params: readonly unknown[];
  /** Parses the text of an answer, the whole of it, faster than `JSON.parse`; `undefined` for a text that it does not know. */
  parse?: (text: string) => unknown;
  /** Throws an `UpstreamFault` for an invalid result, and a `RoundedInteger` for an integer to be parsed exactly. */
  read: (result: unknown) => T;
  /** The codes of errors by which a node says that there is nothing of what it was asked for: the result is then `null`. */
  absentCodes?: ReadonlySet<number>;
  /** The slot of an answer, when it has one. */
  slotOf?: (answer: T) => bigint;
  /** A longer answer is a fault, and is not read to its end. */
  maxAnswerBytes: number;
  /** The kind of that fault: `malformed` by default, `refused` where strangers on chain decide how long an answer is. */
  sizeFault?: 'malformed' | 'refused';
}

const maxConnections = 64;

/**
 * Sends JSON-RPC requests to one Solana node over kept-alive connections.
 *
 * No error holds the URL, which for hosted nodes contains a secret.
 */
export class RpcTransport {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #secrets: readonly string[];
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
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
    this.#timeoutMs = options.timeoutMs;
    this.#pool = new Pool(url.origin, {
      connections: maxConnections,
      connect: { timeout: options.timeoutMs },
      keepAliveTimeout: 30_000,
      // Over one HTTP/2 connection all calls would share the fate of that connection.
      allowH2: false,
    });
  }

  /**
   * Calls one method and returns what `read` makes of its result.
   *
   * It may take `remainingMs`, but no longer than one attempt may; an aborted `signal` means that it takes too long.
   *
   * Throws an `UpstreamFault`.
   */
  async call<T>(request: RpcRequest<T>, remainingMs: number, signal?: AbortSignal): Promise<T> {
    const { method, params, read, maxAnswerBytes, sizeFault } = request;
    const id = this.#nextId++;
    const { statusCode, headers, text } = await exchange(this.#pool, {
      path: this.#path,
      headers: this.#headers,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      timeoutMs: Math.min(remainingMs, this.#timeoutMs),
      maxAnswerBytes,
      sizeFault,
      signal,
    });
    const fault = faultOfStatus(statusCode, headers['retry-after']);
    if (fault) throw fault;
    const envelope = readEnvelope(parse(text, statusCode, request.parse), id, statusCode);
    if (!('error' in envelope)) return readExactly(text, envelope.result, read);
    const { code, message } = envelope.error;
    if (request.absentCodes?.has(code)) return read(null);
    throw faultOfNodeError(method, { code, message: withoutSecrets(message, this.#secrets) });
  }

  /** Closes the connections once the requests under way have ended. */
  async close(): Promise<void> {
    await this.#pool.close();
  }
}

function parse(text: string, statusCode: number, parseFast: RpcRequest<unknown>['parse']): unknown {
  try {
    return parseFast?.(text) ?? JSON.parse(text);
  } catch {
    // Without the cause, which quotes the answer: an error page may contain the URL.
    throw malformed(`it answered HTTP ${statusCode} with something that is not JSON`);
  }
}

// Plain parsing is many times faster and exact for nearly all answers; the others are parsed a second time, exactly.
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

const maxMessageLength = 300;

// Shorter parts are words such as `rpc` and `v2`.
const minSecretLength = 8;

function secretsOf(url: URL): readonly string[] {
  // Some providers put the customer's name in the host.
  const parts = [url.hostname, url.username, url.password, ...url.pathname.split('/'), ...url.search.split(/[?&=]/)];
  const asTexts = parts.flatMap((part) => [part, decodeText(part)]);
  return [...new Set(asTexts)].filter((part) => part.length >= minSecretLength);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A node, or a gateway in front of it, may quote the request's URL in its error.
function withoutSecrets(message: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message).slice(0, maxMessageLength);
}
