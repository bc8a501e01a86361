import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { privateAddresses } from './private-addresses.ts';
import { signedHeaders } from './sign.ts';

/** One delivery of an event to the URL of an endpoint. */
export interface WebhookRequest {
  url: string;
  /** The newest first; one that was rotated signs beside it for a day. */
  secrets: readonly string[];
  eventId: string;
  body: string;
}

/** What came of an attempt: the status of the answer, or why there was none, and how long it took. */
export interface Attempt {
  /** Milliseconds since the Unix epoch. */
  at: number;
  status: number | null;
  error: string | null;
  milliseconds: number;
}

/** How long one attempt may take, from the look-up of the name to the last byte. */
export const attemptTimeoutMs = 10_000;

const maxAnswerBytes = 65_536;
const connectionsPerOrigin = 4;

/** Makes what connects to endpoints. `allowsPrivate`: also to this machine and its networks, which is for the sandbox alone. */
export function createWebhookDispatcher(allowsPrivate: boolean): Dispatcher {
  const blocked = allowsPrivate ? {} : { blockList: privateAddresses };
  // Node checks the addresses of plain connections alone, so that a TLS connection is made on one of those.
  const connectPlainly = buildConnector({ timeout: attemptTimeoutMs, ...blocked });
  const encrypt = buildConnector({ timeout: attemptTimeoutMs });
  return new Agent({
    connections: connectionsPerOrigin,
    connect: (options, callback) => {
      const port = options.port || (options.protocol === 'https:' ? '443' : '80');
      connectPlainly({ ...options, protocol: 'http:', port }, (error, socket) => {
        if (error) callback(error, null);
        else if (options.protocol === 'https:') encrypt({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      });
    },
  });
}

/** Posts an event once, and follows no redirect. Never throws: what went wrong is in what it resolves to. */
export async function sendWebhook(
  dispatcher: Dispatcher,
  { url, secrets, eventId, body }: WebhookRequest,
  now: () => number,
): Promise<Attempt> {
  const at = now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'splwright',
    ...signedHeaders({ eventId, timestamp: Math.floor(at / 1_000), body }, secrets),
  };
  const signal = AbortSignal.timeout(attemptTimeoutMs);
  try {
    const { statusCode, body: answer } = await request(url, { method: 'POST', dispatcher, headers, body, signal });
    await answer.dump({ limit: maxAnswerBytes, signal });
    return { at, status: statusCode, error: null, milliseconds: now() - at };
  } catch (error) {
    return { at, status: null, error: reasonOf(error), milliseconds: now() - at };
  }
}

/** Says why there was no answer, without the URL, which may have a secret in it. */
function reasonOf(error: unknown): string {
  const { code, name, errors } = Object(error);
  const first: unknown = Array.isArray(errors) ? Object(errors[0]).code : code;
  if (first === 'ERR_IP_BLOCKED') return 'its address is not on the public internet';
  if (name === 'TimeoutError') return `it took longer than ${attemptTimeoutMs / 1_000} seconds`;
  return typeof first === 'string' ? first : 'the connection failed';
}
