import type { Socket } from 'node:net';
import { Client } from 'undici';
import { connect, type Network } from './connect.ts';
import { signedHeaders } from './sign.ts';

/** One delivery of an event to the URL of an endpoint. */
export interface WebhookRequest {
  url: string;
  eventId: string;
  body: string;
}

export interface SendOptions {
  network: Network;
  /** Resolves to the secrets that sign the delivery; to `undefined` when it must not be sent any more. Never rejects. */
  readSecrets: () => Promise<readonly string[] | undefined>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

/** The result of an attempt: the status of the answer, or why there was none, and how long it took. */
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

/**
 * Posts an event once, on a connection of its own, and follows no redirect.
 *
 * Never rejects: what went wrong is in what it resolves to. `undefined`: nothing was sent, since nothing may be.
 */
export async function sendWebhook(
  { url: text, eventId, body }: WebhookRequest,
  { network, readSecrets, now }: SendOptions,
): Promise<Attempt | undefined> {
  const at = now();
  const url = new URL(text);
  const signal = AbortSignal.timeout(attemptTimeoutMs);
  let socket: Socket | undefined;
  try {
    socket = await connect(url, network, signal);
    // As late as can be: from the moment on at which an endpoint is deleted, nothing is sent to it.
    const secrets = await readSecrets();
    if (!secrets) return undefined;
    const headers = signedHeaders({ eventId, body }, Math.floor(now() / 1_000), secrets);
    const status = await post(socket, url, { headers, body, signal });
    return { at, status, error: null, milliseconds: now() - at };
  } catch (error) {
    return { at, status: null, error: reasonOf(error, signal), milliseconds: now() - at };
  } finally {
    socket?.destroy();
  }
}

/** Posts a body on a connection, and returns the status of the answer. */
async function post(
  socket: Socket,
  url: URL,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<number> {
  const client = new Client(url.origin, {
    connect: (_, callback) =>
      setImmediate(() => {
        // It is asked for again when it has closed before the request was written.
        if (socket.destroyed) callback(new Error('the receiver has closed the connection'), null);
        else callback(null, socket);
      }),
  });
  try {
    const { statusCode, body: answer } = await client.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: { 'content-type': 'application/json', 'user-agent': 'splwright', ...headers },
      body,
      signal,
    });
    // Read so that the receiver can finish it, and whatever it is: the status has said it.
    await answer.dump({ limit: maxAnswerBytes, signal }).catch(() => undefined);
    return statusCode;
  } finally {
    void client.destroy();
  }
}

/** Says why there was no answer, without a message, which may have the URL in it, and that a secret. */
function reasonOf(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return `it took longer than ${attemptTimeoutMs / 1_000} seconds`;
  const { code } = Object(error);
  if (code === 'ERR_IP_BLOCKED') return 'its address is not on the public internet';
  if (code === 'ERR_NO_TLS') return 'its URL does not begin with https://';
  return typeof code === 'string' ? code : 'the connection failed';
}
