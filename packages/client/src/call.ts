import { type Refusal, SplwrightError } from './problem.ts';
import type { VerifyOptions } from './verify/index.ts';

/** What the caller knows and allows of what is built, or `false` to take it as it comes. */
export type Verification = false | VerifyOptions;

/** How a client reaches the service. */
export interface ClientOptions {
  /** Where the service is, such as `https://transfers.example`. */
  url: string;
  /** An API key. Keep it out of pages: whoever has it can use it. */
  apiKey: string;
  /** How long one attempt may take, in milliseconds; 30,000 by default. */
  timeoutMs?: number;
  /** How often a call is tried again; 4 by default. */
  maxRetries?: number;
  /**
   * How each transaction that is built is verified: it must do exactly what the request says, or the call rejects with a
   * `VerificationError`. By default with what the request says alone.
   */
  verify?: Verification;
  /** In the place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call. It rejects with the reason of the signal. */
  signal?: AbortSignal;
  /**
   * Makes a payment happen once, however often it is asked for: use what names it in your own records, such as an order.
   * By default each call has a random one, so that its own retries are safe; `false` sends none.
   */
  idempotencyKey?: string | false;
  /** On top of what the client has: what is known of this transaction, such as the decimals of its mint; or `false`. */
  verify?: Verification;
}

/** What the service answered. */
export interface Answer<Body> {
  body: Body;
  headers: Headers;
}

/** A request to be made, several times if it must be. */
interface Request {
  path: string;
  /** Posted; without one the path is read. */
  body?: object;
  call: CallOptions;
  /** Whether a random `Idempotency-Key` makes its retries safe. */
  builds: boolean;
}

// Longer waits are for the caller to decide on.
const maxWaitMs = 30_000;
const firstWaitMs = 250;
const retriedStatuses = [408, 429, 502, 503, 504];

/** Makes a request until there is an answer. Rejects with a `SplwrightError`, or with the reason of the signal. */
export async function request<Body>(
  options: ClientOptions,
  { path, body, call, builds }: Request,
): Promise<Answer<Body>> {
  const { url, apiKey, maxRetries = 4 } = options;
  const { signal, idempotencyKey = builds && randomKey() } = call;
  const headers: Record<string, string> = { authorization: `Bearer ${apiKey}` };
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  if (body) headers['content-type'] = 'application/json';
  const text = JSON.stringify(body, (_name, value) => (typeof value === 'bigint' ? `${value}` : value));
  const init = body ? { method: 'POST', headers, body: text } : { headers };
  const target = url.replace(/\/+$/, '') + path;
  for (let retries = 0; ; retries++) {
    const answer = await attempt<Body>(options, target, init, signal);
    if (!(answer instanceof SplwrightError)) return answer;
    const { problem, retryAfterMs } = answer;
    // Half of it by chance, so that many clients do not come back at once.
    const waitMs = retryAfterMs ?? firstWaitMs * 2 ** retries * (0.5 + Math.random() / 2);
    if (retries >= maxRetries || waitMs > maxWaitMs || !isRetried(problem)) throw answer;
    await pause(waitMs, signal);
  }
}

/** Waits so long, or rejects with the reason of the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

function isRetried(problem: SplwrightError['problem']): boolean {
  if (problem.code === 'no_answer' || problem.code === 'idempotency_in_progress') return true;
  return retriedStatuses.includes(problem.status);
}

async function attempt<Body>(
  { fetch = globalThis.fetch, timeoutMs = 30_000 }: ClientOptions,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Answer<Body> | SplwrightError> {
  if (signal?.aborted) throw reasonOf(signal);
  // Not every runtime has `AbortSignal.any` and `AbortSignal.timeout`.
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end);
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    const text = await response.text();
    if (!response.ok) return refusalOf(response, text);
    const body: Body = JSON.parse(text);
    return { body, headers: response.headers };
  } catch (error) {
    if (signal?.aborted) throw reasonOf(signal);
    const detail = controller.signal.aborted ? `no answer within ${timeoutMs} ms` : 'the service was not reached';
    return new SplwrightError({ code: 'no_answer', detail }, undefined, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

// The signals of React Native have no reason, and no `throwIfAborted`.
function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? Object.assign(new Error('the call was ended'), { name: 'AbortError' });
}

function refusalOf({ status, headers }: Response, text: string): SplwrightError {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  // A proxy in between may answer with a page of its own.
  const body: Partial<Refusal> | null = text.startsWith('{') ? JSON.parse(text) : null;
  if (isRefusal(body)) return new SplwrightError(body, retryAfterMs);
  const detail = `something that is not the service answered with status ${status}`;
  return new SplwrightError({ code: 'no_answer', detail }, retryAfterMs);
}

function isRefusal(body: Partial<Refusal> | null): body is Refusal {
  return typeof body?.code === 'string' && typeof body.status === 'number';
}

// Without a source of randomness there is no key: two calls must never share one.
function randomKey(): string | false {
  if (!globalThis.crypto?.getRandomValues) return false;
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
