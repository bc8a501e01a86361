import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Question, SplwrightClient, SplwrightError, toBase64 } from 'splwright-client';
import { readWorld, service } from '../sandbox.ts';

// The sandbox names a wallet, a mint and an API key; on a real network they come from your configuration.
const world = await readWorld();
const shopWallet = world.wallets.find(({ name }) => name === 'bob')?.address ?? '';
const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const chain = 'solana:localnet';

interface Order {
  price: string;
  /** The transactions that were built for it, and its payment link. */
  payments: Question[];
  linkId?: string;
}

// The orders of your database.
const orders = new Map<string, Order>([
  ['1001', { price: '25', payments: [] }],
  ['1002', { price: '40', payments: [] }],
  ['1003', { price: '12.5', payments: [] }],
]);

// In your project your bundler does this.
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
  bundle: true,
  format: 'esm',
  write: false,
});
const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/': ['text/html', readFileSync(new URL('page.html', import.meta.url), 'utf8')],
  '/page.js': ['text/javascript', outputFiles[0]?.text ?? ''],
};

const server = createServer((request, response) => {
  answer(request)
    .catch((error: unknown) => {
      if (error instanceof SplwrightError && error.problem.code !== 'no_answer') {
        // Such as a balance that is too low: the customer can do something about it.
        return jsonAnswer(422, { message: error.problem.detail });
      }
      console.error(error);
      return jsonAnswer(500, { message: 'Please try again later.' });
    })
    .then(({ status, headers, text }) => response.writeHead(status, headers).end(text));
});
server.listen(Number(process.env.SHOP_PORT ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`the shop is at http://127.0.0.1:${address?.port}/?order=1001`);
});

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const { pathname } = new URL(request.url ?? '/', 'http://shop');
  const [type, file] = files[pathname] ?? [];
  if (type !== undefined && file !== undefined) return textAnswer(200, type, file);
  const [, id = '', action] = /^\/orders\/(\d+)(?:\/(payment|checkout))?$/.exec(pathname) ?? [];
  const order = orders.get(id);
  if (!order) return jsonAnswer(404, { message: 'There is no such order.' });
  if (request.method !== 'POST' || action === undefined) return jsonAnswer(200, await stateOf(order));
  // Such as a second tab, or a click after a reload.
  if ((await stateOf(order)).isPaid) return jsonAnswer(409, { message: 'It is paid already.' });
  if (action === 'payment') return jsonAnswer(200, await pay(id, order, await json(request)));
  return { status: 303, headers: { location: await checkoutUrl(id, order) }, text: '' };
}

function textAnswer(status: number, type: string, text: string): Answer {
  return { status, headers: { 'content-type': `${type}; charset=utf-8` }, text };
}

function jsonAnswer(status: number, body: object): Answer {
  return textAnswer(status, 'application/json', JSON.stringify(body));
}

/** Makes the payment link of an order, once, and returns where it is paid: by any wallet, and on the sandbox without one. */
async function checkoutUrl(id: string, order: Order): Promise<string> {
  const { id: linkId, url } = await client.createPaymentLink(
    {
      to_address: shopWallet,
      token_mint_address: world.mints[0].address,
      amount_decimal: order.price,
      label: 'Tea house Lotus',
      memo: `order ${id}`,
    },
    { idempotencyKey: `order-${id}/link` },
  );
  order.linkId = linkId;
  return url;
}

/** Builds the payment of an order by the customer's wallet. What it costs and who is paid is never the page's to say. */
async function pay(id: string, { price, payments }: Order, body: unknown) {
  const built = await client.buildTransfer(
    {
      from_address: String(Object(body).account),
      to_address: shopWallet,
      token_mint_address: world.mints[0].address,
      amount_decimal: price,
      memo: `order ${id}`,
    },
    // The same wallet that asks again gets the same transaction.
    { idempotencyKey: `order-${id}/${Object(body).account}` },
  );
  // The client has verified it: docs/verify.md says what that means.
  payments.push({ transaction: built.transaction, ...built.lifetime });
  return { transaction: toBase64(built.transaction), chain };
}

/** Says what became of an order: what the chain shows, not what the page says. */
async function stateOf({ price, payments, linkId }: Order) {
  const outcomes = payments.length === 0 ? [] : await client.findOutcomes(payments.slice(-100));
  const landed = outcomes.find(({ outcome }) => outcome === 'landed');
  const link = linkId === undefined ? undefined : await client.readPaymentLink(linkId);
  const paid = landed ?? (link?.state === 'paid' ? link : undefined);
  // Ship when it is final: until then a fork could undo it.
  return { price, chain, isPaid: paid !== undefined, isFinal: paid?.is_final === true, signature: paid?.signature };
}
