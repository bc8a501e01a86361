import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Cleanup } from './service.ts';

/** What a receiver of webhooks was sent. */
export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server that keeps what it is sent, and answers with these statuses, one after the other, the last one again and again. */
export async function startWebhookReceiver(t: Cleanup, statuses: readonly number[] = [204]) {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      response.writeHead(statuses[received.length] ?? statuses.at(-1) ?? 204).end();
      received.push({ headers: request.headers, body });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const payloads = () => received.map(({ body }) => JSON.parse(body));
  return { url: `http://127.0.0.1:${port}/hook`, received, payloads };
}
