import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Cleanup } from '../setup/service.ts';

/** What a receiver was told by one delivery. */
export interface Told {
  eventId: string;
  type: string;
  sequence: number;
  data: {
    id?: string;
    state?: string;
    is_final?: boolean;
    signature?: string;
    received_amount?: string;
    endpoint_id?: string;
  };
}

/** How a receiver behaves: always well; badly when it sees an event for the first time; or it never answers. */
export type Manner = 'good' | 'flaky' | 'silent';

/** A receiver of webhooks, and what came to it. */
export interface Receiver {
  url: string;
  manner: Manner;
  /** What verifies its deliveries; none before its endpoint is made. */
  secret: string;
  told: Told[];
  /** What is wrong with what came. */
  faults: string[];
  openNow: number;
  maxOpen: number;
}

const faults: readonly ((response: ServerResponse, request: IncomingMessage) => void)[] = [
  (response) => response.writeHead(500).end('no'),
  (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  (_, request) => request.socket.destroy(),
  (_, request) => request.socket.end('what\r\n\r\n'),
  (response) => setTimeout(() => response.writeHead(204).end(), 300),
  (response) => response.writeHead(204).end(),
];

/** Starts a receiver. `onTold` is called before it answers. */
export async function startReceiver(
  t: Cleanup,
  manner: Manner,
  onTold: (told: Told) => string | undefined,
): Promise<Receiver> {
  const receiver: Receiver = { url: '', manner, secret: '', told: [], faults: [], openNow: 0, maxOpen: 0 };
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    receiver.openNow += 1;
    receiver.maxOpen = Math.max(receiver.maxOpen, receiver.openNow);
    request.socket.once('close', () => {
      receiver.openNow -= 1;
    });
    // A process that is killed as it sends has sent a part: that is no delivery.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    if (request.url !== '/hook') receiver.faults.push(`it followed a redirect to ${request.url}`);
    const told = read(receiver, request, body);
    if (!told) return;
    const fault = onTold(told);
    if (fault !== undefined) receiver.faults.push(fault);
    receiver.told.push(told);
    const isFirst = !seen.has(told.eventId);
    seen.add(told.eventId);
    if (manner === 'good' || (manner === 'flaky' && !isFirst)) response.writeHead(204).end();
    else if (manner === 'flaky') faults[Math.floor(Math.random() * faults.length)]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  receiver.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`;
  return receiver;
}

function read(receiver: Receiver, { headers }: IncomingMessage, body: string): Told | undefined {
  try {
    const payload = Object(new Webhook(receiver.secret).verify(body, Object(headers)));
    return { eventId: String(headers['webhook-id']), ...payload };
  } catch (error) {
    receiver.faults.push(`${String(error)}: ${body}`);
    return undefined;
  }
}
