import { type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import { isRecord, parseExactly, RoundedInteger } from './json-values.ts';
import {
  faultOfDenial,
  faultOfGatewayError,
  faultOfNodeError,
  faultOfOther,
  faultOfStatus,
  malformed,
  nonsense,
  tooSlow,
  type UpstreamFault,
  unavailable,
} from './upstream-faults.ts';

/** How to reach one upstream. */
export interface RpcTransportOptions {
  url: string;
  /** How long one attempt may take, from connecting to the last byte. */
  timeoutMs: number;
  proxy?: ProxySettings | undefined;
}

/** The proxy through which upstreams of `https://` are reached. */
export interface ProxySettings {
  /** It may hold a password. */
  url: string;
  /** The hosts that are reached without it, as in `NO_PROXY`. */
  exceptions: string;
}

/** One call, and how its result is read. */
export interface RpcRequest<T> {
  method: string;
  params: readonly unknown[];
  /** Throws an `UpstreamFault` for an invalid result, and a `RoundedInteger` for an integer to be parsed exactly. */
  read: (result: unknown) => T;
  /** The error codes that mean that the requested thing does not exist: the result is then `null`. */
  absentCodes?: ReadonlySet<number>;
  /** How it is asked in several calls, where a node takes no more than some accounts in one. */
  parts?: RequestParts<T>;
  /** The slot of an answer, when it has one. */
  slotOf?: (answer: T) => bigint;
  /** A longer answer is a fault, and is not read to its end. */
  maxAnswerBytes: number;
  /** The kind of that fault: `malformed` by default, `too_large` where other parties' transactions decide how long an answer is. */
  sizeFault?: 'malformed' | 'too_large';
}

/** How a request for several things, which its answer has in their order, is split. */
export interface RequestParts<T> {
  /** How many things it asks for. */
  count: number;
  /** Asks for those from one index up to another one. */
  slice: (start: number, end: number) => RpcRequest<T>;
  /** Makes one answer of those to consecutive slices. */
  join: (answers: readonly T[]) => T;
}

const maxConnections = 64;

/**
 * Sends JSON-RPC requests to one Solana node over kept-alive connections.
 *
 * No error holds the URL, which for hosted nodes contains a secret.
 */
export class RpcTransport {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;
  readonly #path: string;
  readonly #secrets: UrlSecrets;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
  #nextId = 1;

  constructor(options: RpcTransportOptions) {
    const url = new URL(options.url);
    this.#path = url.pathname + url.search;
    this.#secrets = new UrlSecrets(url);
    this.#headers = { 'content-type': 'application/json' };
    if (url.username || url.password) {
      const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      this.#headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    this.#timeoutMs = options.timeoutMs;
    this.#origin = url.origin;
    const { timeoutMs: connectTimeout, proxy } = options;
    const pool = {
      connections: maxConnections,
      connect: { timeout: connectTimeout },
      keepAliveTimeout: 30_000,
      // Over one HTTP/2 connection all calls would share the fate of that connection.
      allowH2: false,
    };
    this.#dispatcher =
      proxy && url.protocol === 'https:'
        ? new EnvHttpProxyAgent({
            ...pool,
            connectTimeout,
            httpsProxy: proxy.url,
            httpProxy: '',
            noProxy: proxy.exceptions,
          })
        : new Pool(url.origin, pool);
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
    const { statusCode, headers, text } = await exchange(this.#dispatcher, {
      origin: this.#origin,
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
    const answer = parse(text);
    const isOwn = isRecord(answer) && answer.id === id;
    const error = errorIn(answer);
    const said = isOwn && !error ? '' : this.#secrets.mask(messageIn(answer, text));
    const denial = faultOfDenial(statusCode, said, isOwn && error !== undefined);
    if (denial) throw denial;
    if (answer === undefined) throw malformed(`it answered HTTP ${statusCode} with something that is not JSON`);
    if (!isOwn) throw error ? faultOfGatewayError(method, { ...error, message: said }) : faultOfOther(statusCode, said);
    if (error && request.absentCodes?.has(error.code)) return read(null);
    if (error) throw faultOfNodeError(method, { ...error, message: said });
    return readExactly(text, resultIn(answer, statusCode), read);
  }

  /** Closes the connections once the requests under way have ended. */
  async close(): Promise<void> {
    await this.#dispatcher.close();
  }
}

/** The value of a JSON text; `undefined` for another text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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

function errorIn(answer: unknown): { code: number } | undefined {
  const error = isRecord(answer) ? answer.error : undefined;
  return isRecord(error) && typeof error.code === 'number' ? { code: error.code } : undefined;
}

function resultIn(answer: Readonly<Record<string, unknown>>, statusCode: number): unknown {
  if (isRecord(answer.error)) throw malformed('its error has no code');
  if (statusCode !== 200 || !('result' in answer)) throw malformed(`it answered HTTP ${statusCode} without a result`);
  return answer.result;
}

// A longer text is a web page, not a message.
const maxMessageLength = 10_000;

/** The words of an answer without a result, as JSON-RPC and as gateways write them; empty where it has none. */
function messageIn(answer: unknown, text: string): string {
  const { error, message } = isRecord(answer) ? answer : {};
  const isPage = answer !== undefined || /^\s*</.test(text);
  const candidates = [isRecord(error) ? error.message : error, message, isPage ? undefined : text];
  const said = candidates.find((each) => typeof each === 'string') ?? '';
  return said.length > maxMessageLength ? '' : said;
}

// Shorter parts of a path or a host are words such as `rpc` and `v2`.
const minPartLength = 8;

// A password or a query value is a secret at any length, except one so short that most texts have it.
const minCredentialLength = 3;

const maxLineLength = 200;

/** Masks the parts of a node's URL in texts: those of hosted nodes hold a key. */
export class UrlSecrets {
  /** The longest first, so that no part of another remains. */
  readonly #secrets: readonly string[];

  constructor(url: URL) {
    const { hostname, username, password, pathname, search } = url;
    const basic = Buffer.from(`${decodeText(username)}:${decodeText(password)}`).toString('base64');
    // Some providers put the customer's name in the host.
    const parts = [hostname, ...hostname.split('.'), ...pathname.split('/'), ...search.split(/[?&=]/)];
    const values = search.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
    const secrets = [
      ...formsOf(parts, minPartLength),
      ...formsOf([username, password, ...values, basic], minCredentialLength),
    ];
    this.#secrets = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  }

  /**
   * Returns what a node says as one line of at most 200 characters without secrets: the node, or a gateway in front of it, may quote the
   * request's URL. Characters that are not shown, or that change how others are shown, become a space.
   */
  mask(message: string): string {
    const masked = this.#secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message);
    const line = masked.replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu, ' ').trim();
    return line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1).toWellFormed()}…` : line;
  }
}

function formsOf(parts: readonly string[], minLength: number): readonly string[] {
  return parts.flatMap((part) => [part, decodeText(part)]).filter((part) => part.length >= minLength);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One request to an upstream. */
export interface HttpRequest {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** How long it may take, from waiting for a connection to the last byte. */
  timeoutMs: number;
  /** A longer answer is not read to its end. */
  maxAnswerBytes: number;
  /** The kind of the fault of a longer answer: `malformed` by default. */
  sizeFault?: 'malformed' | 'too_large' | undefined;
  /** Aborted when the request takes too long. */
  signal?: AbortSignal | undefined;
}

/** The answer of an upstream. */
export interface HttpAnswer {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/**
 * Posts a body and reads the whole answer.
 *
 * Throws an `UpstreamFault`: `upstream_timeout` when it takes too long, `upstream_error` when the answer is too large, and
 * `upstream_unavailable` when the connection fails.
 */
export function exchange(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { origin, path, headers, body } = request;
    const handler = new AnswerHandler(request, resolve, reject);
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

/**
 * Reads one answer.
 *
 * With undici's `request`, which makes a stream and a signal of each call, what waited for the answer was kept until the next full
 * collection: a sixth of a request's processor time, and twice the memory.
 */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onLate = (): void => this.#giveUp(tooSlow());
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #statusCode = 0;
  #headers: HttpAnswer['headers'] = {};
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(request: HttpRequest, resolve: (answer: HttpAnswer) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(this.#onLate, request.timeoutMs);
    request.signal?.addEventListener('abort', this.#onLate);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Its time may be over since it began to wait for a connection.
    if (this.#isOver) controller.abort(new errors.RequestAbortedError());
    this.#controller = controller;
  }

  onResponseStart(_controller: unknown, statusCode: number, headers: HttpAnswer['headers']): void {
    this.#statusCode = statusCode;
    this.#headers = headers;
    this.#assertLength(Number(headers['content-length'] ?? 0));
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#length += chunk.length;
    this.#assertLength(this.#length);
    if (!this.#isOver) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#length);
    this.#resolve({ statusCode: this.#statusCode, headers: this.#headers, text: bytes.toString('utf8') });
  }

  onResponseError(_controller: unknown, error: Error): void {
    // Only the code of the error: its message may name the host.
    const cause = 'code' in error ? String(error.code) : error.name;
    if (this.#end()) this.#reject(unavailable('connection', 'the connection failed', { cause }));
  }

  #assertLength(bytes: number): void {
    const { maxAnswerBytes, sizeFault = 'malformed' } = this.#request;
    if (bytes > maxAnswerBytes) this.#giveUp(nonsense(sizeFault, `its answer is larger than ${maxAnswerBytes} bytes`));
  }

  #giveUp(fault: UpstreamFault): void {
    if (!this.#end()) return;
    this.#reject(fault);
    this.#chunks.length = 0;
    this.#controller?.abort(new errors.RequestAbortedError());
  }

  /** Returns whether this is the first end. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onLate);
    return true;
  }
}
