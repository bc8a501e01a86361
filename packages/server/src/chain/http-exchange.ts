import type { Dispatcher } from 'undici';
import { nonsense, tooSlow, UpstreamFault, unavailable } from './upstream-faults.ts';

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
export async function exchange(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpAnswer> {
  const { origin, path, headers, body, timeoutMs, signal } = request;
  const ending = new AbortController();
  const giveUp = (): void => ending.abort(tooSlow());
  const timer = setTimeout(giveUp, timeoutMs);
  signal?.addEventListener('abort', giveUp);
  try {
    const limits = { headersTimeout: 0, bodyTimeout: 0, signal: ending.signal };
    const answer = await dispatcher.request({ origin, path, method: 'POST', headers, body, ...limits });
    return { statusCode: answer.statusCode, headers: answer.headers, text: await readText(answer, request) };
  } catch (error) {
    if (error instanceof UpstreamFault) throw error;
    // Only the code of the error: its message may name the host.
    const cause = error instanceof Error && 'code' in error ? String(error.code) : String(Object(error).name);
    throw unavailable('connection', 'the connection failed', { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

async function readText(
  { headers, body }: Dispatcher.ResponseData,
  { maxAnswerBytes, sizeFault = 'malformed' }: HttpRequest,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = Number(headers['content-length'] ?? 0);
  const assertFits = (): void => {
    if (length > maxAnswerBytes) throw nonsense(sizeFault, `its answer is larger than ${maxAnswerBytes} bytes`);
  };
  try {
    assertFits();
    length = 0;
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      assertFits();
    }
  } finally {
    body.on('error', () => undefined).destroy();
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
