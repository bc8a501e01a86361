import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { endpointOf } from '../../../packages/server/src/serve/start-sandbox.ts';
import { claimForSandbox } from '../../../packages/server/src/store/cluster.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { freePort } from '../../setup/free-port.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { readUntil, waitUntil } from '../../setup/wait-until.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { LinkClient } from '../links/link-service.ts';
import { type Fate, KillableProgram, openWay } from './killable.ts';

const reads = ['GET /sandbox/world', 'GET /v1/webhook-endpoints', 'GET /v1/events', 'GET /orders/ID'];
// The secret of an endpoint is rotated by a shop that was killed before it kept it.
const writes = ['', '/ID/rotate-secret']
  .map((path) => `POST /v1/webhook-endpoints${path}`)
  .concat('POST /v1/payment-links');
const aroundEach = (steps: readonly string[]): readonly string[] =>
  steps.flatMap((step) => [`before ${step}`, `after ${step}`]);

describe('examples/shop', () => {
  it('ships an order once, though the shop is killed before and after each request', (t) =>
    assertShipsOnce(t, 'shop', aroundEach([...reads, ...writes, 'POST /orders/ID', 'POST /webhooks'])));

  // What only reads leaves no trace in it, nor does an attempt to deliver before it is noted.
  it('ships an order once, though the service is killed before and after each request that it stores', (t) =>
    assertShipsOnce(t, 'service', [...aroundEach(writes), 'after POST /webhooks']));
});

async function assertShipsOnce(t: TestContext, victim: 'shop' | 'service', kills: readonly string[]): Promise<void> {
  const planned = new Set(kills);
  const decide = (step: string): Fate => {
    if (planned.delete(`before ${step}`)) return 'before';
    return planned.delete(`after ${step}`) ? 'after' : 'answered';
  };
  const { sandbox, service, client, isUp } = await startKillableService(t);
  const programs = new Map([['service', service]]);
  const kill = async (): Promise<void> => {
    await programs.get(victim)?.kill();
    await waitUntil(isUp);
  };
  const port = await freePort();
  const shopUrl = await openWay(t, { target: `http://127.0.0.1:${port}`, decide, kill });
  const databasePath = `${temporaryFolder(t)}/shop.db`;
  const shop = new KillableProgram(t, 'examples/shop/server.ts', {
    SPLWRIGHT_URL: await openWay(t, { target: client.url, decide, kill }),
    SHOP_URL: shopUrl,
    SHOP_PORT: String(port),
    SHOP_DATABASE: databasePath,
  });
  programs.set('shop', shop);
  const browse = async (path: string, method = 'GET'): Promise<string> => {
    const reply = await fetch(shopUrl + path, { method, redirect: 'manual' }).catch(() => undefined);
    return reply?.headers.get('location') ?? (reply?.ok ? await reply.text() : '');
  };
  const shipments = () => {
    const database = new DatabaseSync(databasePath, { readOnly: true, timeout: 5_000 });
    const rows = database.prepare('SELECT signature FROM shipments').all();
    database.close();
    return rows.map(({ signature }) => signature);
  };

  const [, order = ''] =
    /action="([^"]+)"/.exec(
      await readUntil(
        () => browse('/'),
        (page) => page !== '',
      ),
    ) ?? [];
  await waitUntil(async () => (await browse(order, 'POST')) === order);
  const [, payUrl = ''] = await readUntil(
    async () => /href="(\S+\/pay\/\w+)"/.exec(await browse(order)) ?? [],
    ({ length }) => length > 0,
  );
  const alice = named(sandbox.world.wallets, 'alice');
  const { transaction } = await client.pay(payUrl.slice(payUrl.lastIndexOf('/') + 1), alice.address);
  const { signature } = sandbox.ledger.sendTransaction(
    await signWith(Buffer.from(transaction, 'base64'), [alice.secret_key]),
  );
  const told = async () => {
    const [event] = await finalEvents(client);
    // The second attempt to reach a shop comes after 5 s, and the third only after a minute.
    const [delivery] = event?.deliveries ?? [];
    if (delivery?.state === 'waiting' && delivery.attempts.length > 1) await sendAgain(client, event.id);
    return event;
  };
  await readUntil(
    async () => ({ event: await told(), page: await browse(order), planned: [...planned] }),
    ({ page }) => planned.size === 0 && page.includes('being packed'),
  );

  // All of it once more: what the service has told, and what the shop asks for when it starts.
  await shop.kill();
  const event = await readUntil(told, (each) => each?.deliveries[0]?.state === 'delivered');
  const attempts = event.deliveries[0].attempts.length;
  await readUntil(
    () => browse('/'),
    (page) => page !== '',
  );
  await sendAgain(client, event.id);
  await readUntil(
    () => finalEvents(client),
    ([each]) => each?.deliveries[0].attempts.length > attempts,
  );
  assert.deepEqual(shipments(), [signature]);
  assert.equal((await client.list()).data.length, 1);
  assert.equal((await dataOf(client.send('GET', '/v1/webhook-endpoints'))).length, 1);
}

/** A service on a ledger that outlives it, and a client of it. */
async function startKillableService(t: TestContext) {
  const sandbox = await startTestSandbox(t);
  const { databaseUrl, store } = await newKeyStore(t);
  await claimForSandbox(store.database);
  const port = String(await freePort());
  const service = new KillableProgram(t, 'test/e2e/webhooks/service-program.ts', {
    PORT: port,
    DATABASE_URL: databaseUrl,
    SANDBOX: JSON.stringify(endpointOf(sandbox)),
  });
  const client = new LinkClient(`http://127.0.0.1:${port}`, sandboxApiKey);
  const isUp = async (): Promise<boolean> => (await fetch(`${client.url}/livez`).catch(() => undefined))?.ok === true;
  await waitUntil(isUp);
  return { sandbox, service, client, isUp };
}

function finalEvents(client: LinkClient) {
  return dataOf(client.send('GET', '/v1/events?type=payment_link.final'));
}

async function sendAgain(client: LinkClient, id: string): Promise<void> {
  await client.send('POST', `/v1/events/${id}/redeliver`).catch(() => undefined);
}

/** The data of a reply; nothing while the service does not answer. */
async function dataOf(reply: Promise<Response>) {
  const response = await reply.catch(() => undefined);
  return response?.ok ? Object(await response.json()).data : [];
}
