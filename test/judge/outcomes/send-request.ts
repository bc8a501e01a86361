import type { Instance } from './history-world.ts';
import { post } from './inject.ts';
import { readPayments } from './payment-reading.ts';
import { rewritten } from './request-body.ts';
import { type Built, currentLifetime, type Errand, type Trial } from './trial.ts';

/** What a service answered. */
export interface Answer {
  status: number;
  text: string;
  /** Of a refusal. */
  code: string | undefined;
  /** Of the payment that a refusal names. */
  landedSignature: string | undefined;
  retryAfter: string | undefined;
  isReplay: boolean;
  /** Of a transaction: what was handed out. */
  built: Built | undefined;
}

/** How a request differs from the errand's own. */
export interface Variation {
  rewritten?: boolean;
  body?: Readonly<Record<string, unknown>>;
}

/** Sends the request of an errand to one of the services. */
export async function sendRequest(
  trial: Trial,
  errand: Errand,
  instance: Instance,
  { rewritten: isRewritten = false, body = errand.posted.body }: Variation = {},
): Promise<Answer> {
  errand.askedAt.add(currentLifetime(trial));
  const response = await post(trial.services.services[instance], {
    url: errand.posted.path,
    headers: {
      authorization: `Bearer ${errand.apiKey.text}`,
      'content-type': 'application/json',
      ...(errand.idempotencyKey !== undefined && { 'idempotency-key': errand.idempotencyKey }),
    },
    payload: isRewritten ? rewritten(body) : JSON.stringify(body),
  });
  const parsed: Refusal & { data?: unknown } = response.json();
  const height = response.headers['solana-last-valid-block-height'];
  const isBuilt = response.statusCode === 200;
  return {
    status: response.statusCode,
    text: response.body,
    code: parsed.code,
    landedSignature: parsed.landed?.signature,
    retryAfter: response.headers['retry-after']?.toString(),
    isReplay: response.headers['idempotency-replayed'] === 'true',
    built: isBuilt ? builtOf(parsed.data, response.body, height?.toString()) : undefined,
  };
}

interface Refusal {
  code?: string;
  landed?: { signature: string };
}

function builtOf(data: unknown, text: string, height: string | undefined): Built {
  const bytes = bytesOf(data);
  return {
    bytes,
    reading: readPayments(bytes),
    lastValidBlockHeight: height === undefined ? undefined : BigInt(height),
    text,
  };
}

function bytesOf(data: unknown): Uint8Array {
  if (Array.isArray(data)) return Uint8Array.from(data.map(Number));
  if (typeof data === 'string') return Uint8Array.from(Buffer.from(data, 'base64'));
  if (typeof data === 'object' && data !== null && 'transaction' in data) return bytesOf(data.transaction);
  throw new TypeError('the reply has no transaction');
}
