import { Pool } from 'undici';
import { isJsonObject } from '../setup/fault-proxy.ts';

/** What became of one request. */
export interface Sample {
  /** When it was due, by `performance.now()`. */
  dueAt: number;
  /** From when it was due to the last byte of its answer, in milliseconds. */
  latency: number;
  /** The HTTP status; 0 when there was no answer. */
  status: number;
  /** The problem's code, or the socket's error; empty for a success. */
  code: string;
  retryAfter: string | undefined;
}

/** A successful answer, as the load saw it. */
export interface Success {
  blockhash: string;
  lastValidBlockHeight: bigint;
  /** The greatest last valid block height that any answer had when this request was sent. */
  heightBefore: bigint;
}

/** One request to send. */
export interface LoadRequest {
  path: string;
  body: object;
}

/** A steady load. */
export interface LoadOptions {
  url: string;
  apiKey: string;
  /** Requests a second, whatever becomes of them. */
  rate: number;
  /** The most sockets; requests that find none wait, and their wait counts. */
  connections: number;
  request: () => LoadRequest;
  /** Looks at every success. */
  onSuccess?: (success: Success) => void;
  /** Looks at the text of every refusal. */
  onProblem?: (text: string) => void;
}

/** A load that runs. */
export interface Load {
  /** What became of the requests that have ended. */
  samples: readonly Sample[];
  /** Sends no more; resolves when every request has ended. */
  stop(): Promise<readonly Sample[]>;
}

// Past every deadline of the service: what takes longer will never come.
const answerLimitMs = 20_000;

/** Sends requests at a constant rate, however long the answers take (an open loop: a slow service is not spared). */
export function startLoad(options: LoadOptions): Load {
  const { url, apiKey, rate, connections, request } = options;
  const pool = new Pool(url, {
    connections,
    pipelining: 1,
    headersTimeout: answerLimitMs,
    bodyTimeout: answerLimitMs,
  });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const samples: Sample[] = [];
  const pending = new Set<Promise<void>>();
  let maxHeight = 0n;

  const send = async (dueAt: number): Promise<void> => {
    const { path, body } = request();
    const heightBefore = maxHeight;
    const end = (status: number, code: string, retryAfter?: string): void => {
      samples.push({ dueAt, latency: performance.now() - dueAt, status, code, retryAfter });
    };
    try {
      const reply = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
      const text = await reply.body.text();
      if (reply.statusCode !== 200) {
        end(reply.statusCode, codeOf(text), headerOf(reply.headers, 'retry-after'));
        options.onProblem?.(text);
        return;
      }
      end(200, '');
      const blockhash = headerOf(reply.headers, 'solana-blockhash') ?? '';
      const lastValidBlockHeight = BigInt(headerOf(reply.headers, 'solana-last-valid-block-height') ?? 0);
      if (lastValidBlockHeight > maxHeight) maxHeight = lastValidBlockHeight;
      options.onSuccess?.({ blockhash, lastValidBlockHeight, heightBefore });
    } catch (error) {
      end(0, error instanceof Error && 'code' in error ? String(error.code) : String(error));
    }
  };

  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * rate) / 1000;
    while (sent < due) {
      const request = send(startedAt + (sent * 1000) / rate).finally(() => pending.delete(request));
      pending.add(request);
      sent += 1;
    }
  }, 1);

  return {
    samples,
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      await pool.destroy();
      return samples;
    },
  };
}

function codeOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? String(body.code) : 'not a problem';
  } catch {
    return 'not JSON';
  }
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
