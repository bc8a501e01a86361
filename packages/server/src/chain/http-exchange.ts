import { type Dispatcher, errors } from 'undici';
import { nonsense, tooSlow, unavailable } from './upstream-faults.ts';

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
 * Throws an `AppError`: `upstream_timeout` when it takes too long, `upstream_error` when the answer is too large, and
 * `upstream_unavailable` when the connection fails.
 */
export function exchange(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const handler = new AnswerHandler(request, resolve, reject);
    const { origin, path, headers, body } = request;
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #maxBytes: number;
  readonly #sizeFault: 'malformed' | 'too_large';
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#giveUp(tooSlow());
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #statusCode = 0;
  #headers: HttpAnswer['headers'] = {};
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(request: HttpRequest, resolve: (answer: HttpAnswer) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#maxBytes = request.maxAnswerBytes;
    this.#sizeFault = request.sizeFault ?? 'malformed';
    this.#timer = setTimeout(this.#onAbort, request.timeoutMs);
    this.#signal = request.signal;
    this.#signal?.addEventListener('abort', this.#onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It may have timed out while it waited for a connection.
    if (this.#isOver) controller.abort(new errors.RequestAbortedError());
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: HttpAnswer['headers'],
  ): void {
    this.#statusCode = statusCode;
    this.#headers = headers;
    if (Number(headers['content-length']) > this.#maxBytes) this.#giveUp(this.#tooLarge());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) this.#giveUp(this.#tooLarge());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#finish()) return;
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#length);
    this.#resolve({ statusCode: this.#statusCode, headers: this.#headers, text: bytes.toString('utf8') });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // Only the code of the error: its message may name the host.
    const cause = 'code' in error ? String(error.code) : error.name;
    if (this.#finish()) this.#reject(unavailable('connection', 'the connection failed', { cause }));
  }

  #giveUp(error: Error): void {
    if (!this.#finish()) return;
    this.#reject(error);
    this.#chunks.length = 0;
    this.#controller?.abort(new errors.RequestAbortedError());
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #tooLarge(): Error {
    return nonsense(this.#sizeFault, `its answer is larger than ${this.#maxBytes} bytes`);
  }
}
