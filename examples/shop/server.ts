import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { type PaymentLink, SplwrightClient } from 'splwright-client';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { readWorld, service } from '../sandbox.ts';
import { apologyPage, missingPage, orderPage, productPage, thanksPage } from './pages.ts';

// The sandbox names a wallet, a mint and an API key; on a real network they come from your configuration.
const { wallets, mints, api_key: apiKey } = await readWorld();
const client = new SplwrightClient({ url: service, apiKey });
const price = '25';
const port = Number(process.env.SHOP_PORT ?? 8080);
// Where browsers and the service find this shop: on a real network an https URL.
const shopUrl = process.env.SHOP_URL ?? `http://127.0.0.1:${port}`;

// All that must outlive a crash. A row is on the disk when its statement returns.
const database = new DatabaseSync(process.env.SHOP_DATABASE ?? 'shop.db');
database.exec(`
  CREATE TABLE IF NOT EXISTS endpoints (id TEXT PRIMARY KEY, secret TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, link_id TEXT UNIQUE, pay_url TEXT);
  -- What the warehouse packs. No order can be in it twice.
  CREATE TABLE IF NOT EXISTS shipments (order_id TEXT PRIMARY KEY, signature TEXT NOT NULL);
`);
const sql = database.createTagStore();

const webhook = new Webhook(await endpointSecret());
await shipMissed();
createServer((request, response) => {
  answer(request)
    .catch((error: unknown) => {
      console.error(error);
      return htmlAnswer(503, apologyPage);
    })
    .then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
}).listen(port, '127.0.0.1', () => console.log(`the shop is at ${shopUrl}/`));

/** Returns the secret that signs the events for this shop. Makes its endpoint when there is none. */
async function endpointSecret(): Promise<string> {
  const path = '/v1/webhook-endpoints';
  const hook = { url: `${shopUrl}/webhooks`, events: ['payment_link.final'] };
  const { data: endpoints } = await call('GET', path);
  const own = endpoints.filter(({ url }: typeof hook) => url === hook.url);
  const secretOf = ({ id }: { id: string }) => sql.get`SELECT secret FROM endpoints WHERE id = ${id}`?.secret;
  const endpoint = own.find(secretOf) ?? own[0];
  // After three days of failures it is disabled. A test event enables it again.
  if (endpoint?.disabled_at) await call('POST', `${path}/${endpoint.id}/test`);
  if (endpoint && secretOf(endpoint)) return String(secretOf(endpoint));
  // An endpoint whose secret was lost in a crash gets a new one: deleting it would delete the events that wait for it.
  const { data: made } = endpoint
    ? await call('POST', `${path}/${endpoint.id}/rotate-secret`)
    : await call('POST', path, hook);
  sql.run`INSERT INTO endpoints VALUES (${made.id}, ${made.secret})`;
  return made.secret;
}

/** Ships what was paid while this shop was down for longer than an event is repeated. */
async function shipMissed(): Promise<void> {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const events = await call('GET', `/v1/events?type=payment_link.final&limit=100${cursor && `&cursor=${cursor}`}`);
    for (const { payload } of events.data) ship(payload.data);
    cursor = events.next_cursor;
  }
}

async function call(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(service + path, { method, headers, body: body ? JSON.stringify(body) : null });
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${await response.text()}`);
  return Object(await response.json());
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const { pathname } = new URL(request.url ?? '/', shopUrl);
  const [path, id = ''] = /^\/orders\/([0-9a-f-]{36})$/.exec(pathname) ?? [];
  if (pathname === '/') return htmlAnswer(200, productPage(price, randomUUID()));
  if (pathname === '/webhooks' && request.method === 'POST') return takeEvent(request);
  if (path !== undefined && request.method === 'POST') {
    // The page chose the id: two clicks are one order.
    sql.run`INSERT INTO orders (id) VALUES (${id}) ON CONFLICT DO NOTHING`;
    return { status: 303, headers: { location: path } };
  }
  const order = sql.get`SELECT pay_url, signature FROM orders LEFT JOIN shipments ON order_id = id WHERE id = ${id}`;
  if (!order) return htmlAnswer(404, missingPage);
  if (order.signature) return htmlAnswer(200, thanksPage);
  return htmlAnswer(200, orderPage(price, String(order.pay_url ?? (await makeLink(id)))));
}

function htmlAnswer(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

/** Makes the payment link of an order. Under the same key a request after a crash gets the same link. */
async function makeLink(order: string): Promise<string> {
  const { id, url } = await client.createPaymentLink(
    {
      to_address: wallets[1].address,
      token_mint_address: mints[0].address,
      amount_decimal: price,
      label: 'Tea house Lotus',
      memo: `order ${order}`,
      ...(shopUrl.startsWith('https:') && { redirect: `${shopUrl}/orders/${order}` }),
    },
    { idempotencyKey: `order-${order}` },
  );
  sql.run`UPDATE orders SET link_id = ${id}, pay_url = ${url} WHERE id = ${order}`;
  return url;
}

async function takeEvent(request: IncomingMessage): Promise<Answer> {
  const body = await text(request);
  try {
    const { type, data } = Object(webhook.verify(body, Object(request.headers)));
    // Not at `.paid`: until a payment is final a fork can undo it, and a parcel cannot be called back.
    if (type === 'payment_link.final') ship(data);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { status: 400 };
    throw error;
  }
  // It is stored. Without this answer the service sends the event again.
  return { status: 204 };
}

/** Has the order of a paid link packed, once: an event that comes again changes nothing. */
function ship({ id, signature }: PaymentLink): void {
  const { changes } = sql.run`
    INSERT INTO shipments SELECT id, ${String(signature)} FROM orders WHERE link_id = ${id} ON CONFLICT DO NOTHING`;
  if (changes > 0) console.log(`pack the order of link ${id}, paid by ${signature}`);
}
