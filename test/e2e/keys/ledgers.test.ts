import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSandbox } from '../../../packages/sandbox/src/index.ts';
import { sandboxApiKey, unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { createBody, linkBody, linksPath, usdc } from '../../../packages/server/test/http/sample-bodies.ts';
import { changeByHand, readByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { linkWith } from '../../../packages/server/test/store/links/links.ts';
import { healthy, startFaultProxy } from '../../setup/fault-proxy.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { LinkClient } from '../links/link-service.ts';
import { startServer } from '../program/cli-process.ts';

const transferPath = '/v1/transfers';

describe('a sandbox that is started again on the same database', { timeout: 120_000 }, () => {
  it('has no payment link of before, builds what was built before, says what it leaves aside, and takes the same keys', async (t) => {
    const { databaseUrl, store } = await newKeyStore(t);
    const { key } = await store.create({ name: 'shop', expiresAt: null });
    const keys = [sandboxApiKey, key];
    const memoOf = (each: string) => `order of ${keys.indexOf(each)}`;
    const idempotent = { 'idempotency-key': 'order-1' };
    const first = await startServer(t, { DATABASE_URL: databaseUrl });
    const made = await Promise.all(
      keys.map(async (each) => {
        const client = new LinkClient(first.url, each);
        await assertReplay(client, idempotent, false, memoOf(each));
        await assertReplay(client, idempotent, true, memoOf(each));
        return client.create(linkBody);
      }),
    );
    const before = await worldOf(first.url);
    first.server.kill('SIGTERM');
    assert.equal((await first.server.ended).status, 0);

    const second = await startServer(t, { DATABASE_URL: databaseUrl });
    assert.match(
      first.server.stdout(),
      /The ledger is new at each start, and so are payment links and Idempotency-Keys; API keys stay\.\n/,
    );
    assert.doesNotMatch(first.server.stdout(), /other ledgers/);
    assert.match(
      second.server.stdout(),
      /The database also has 2 payment links and 2 requests with an Idempotency-Key of other ledgers, which this service does not use\.\n/,
    );
    assert.deepEqual(await worldOf(second.url), before, 'wallets, mints and the API key stay');
    for (const [index, each] of keys.entries()) {
      const client = new LinkClient(second.url, each);
      assert.deepEqual((await client.list()).data, []);
      const id = made[index]?.id ?? assert.fail();
      await assertRefused(client.send('GET', `${linksPath}/${id}`), 404, 'payment_link_not_found');
      await assertRefused(client.send('POST', `${linksPath}/${id}/cancel`), 404, 'payment_link_not_found');
      for (const path of [`/pay/${id}`, `/pay/${id}/state`, `/pay/${id}/qr.svg`]) {
        assert.equal((await fetch(second.url + path)).status, 404);
      }
      await assertReplay(client, idempotent, false, memoOf(each));
      await assertReplay(client, idempotent, true, memoOf(each));
    }
  });
});

for (const database of keyDatabases) {
  describe(`services on two ledgers with one database, ${database.name}`, { timeout: 120_000 }, () => {
    it('share API keys, and nothing that was made, built or counted', async (t) => {
      const { databaseUrl, store } = await newKeyStore(t, database);
      const amounts = new Map([[usdc, { perTransfer: null, perDay: 4_000_000n }]]);
      const restrictions = { ...unrestricted, amounts };
      const { key } = await store.create({ name: 'limited', expiresAt: null, restrictions });
      const network = await startSandbox({ rpcPort: 0 });
      t.after(() => network.close());
      const onSandbox = await startTestService(t, { DATABASE_URL: databaseUrl });
      const onNetwork = await startTestService(t, {
        DATABASE_URL: databaseUrl,
        SOLANA_RPC_URLS: network.rpcUrl,
        PUBLIC_URL: 'https://pay.example',
      });
      const clients = [onSandbox, onNetwork].map(({ url }) => new LinkClient(url, key));
      const ledgers = [onSandbox.sandbox.ledger, network.ledger];
      const alice = named(network.world.wallets, 'alice');
      const links: string[] = [];
      for (const [index, client] of clients.entries()) {
        await assertReplay(client, { 'idempotency-key': 'order-1' }, false);
        await assertReplay(client, { 'idempotency-key': 'order-1' }, true);
        const made = await client.create(linkBody, { 'idempotency-key': 'link-1' });
        links.push(made.id);
        await assertRefused(client.send('POST', transferPath, createBody), 403, 'daily_limit_reached');
        const { transaction } = await client.pay(made.id, alice.address);
        const signed = await signWith(Buffer.from(transaction, 'base64'), [alice.secret_key]);
        assert.equal(ledgers[index]?.sendTransaction(signed).error, null);
        await client.readUntil(made.id, ({ is_final }) => is_final);
      }
      assert.notEqual(links[0], links[1], 'one Idempotency-Key made a link on each');
      for (const [index, client] of clients.entries()) {
        assert.deepEqual(
          (await client.list()).data.map(({ id }) => id),
          [links[index]],
        );
        const other = links[1 - index] ?? assert.fail();
        await assertRefused(client.send('GET', `${linksPath}/${other}`), 404, 'payment_link_not_found');
        await assertRefused(client.askToPay(other, alice.address), 404, 'payment_link_not_found');
      }
    });
  });
}

describe('a service that starts while no node says which ledger it serves', { timeout: 120_000 }, () => {
  it('builds transfers all the same, and answers what needs a record with the fault of the node until one says it', async (t) => {
    const sandbox = await startTestSandbox(t);
    const node = await startFaultProxy(t, { ledger: sandbox.ledger, name: 'node' });
    node.fault = (exchange) => {
      if (!exchange.calls.some(({ method }) => method === 'getGenesisHash')) healthy(exchange);
      else exchange.response.writeHead(500).end();
    };
    const { databaseUrl, store } = await newKeyStore(t);
    const { key } = await store.create({ name: 'shop', expiresAt: null });
    const service = await startTestService(t, {
      DATABASE_URL: databaseUrl,
      SOLANA_RPC_URLS: node.url,
      PUBLIC_URL: 'https://pay.example',
      REQUEST_DEADLINE_MS: '2000',
    });
    const client = new LinkClient(service.url, key);
    // Not of any ledger yet: what a version before has left.
    const links = store.paymentLinksOf({ genesisHash: 'Another1', ownsUnnamed: false });
    const link = linkWith({ ownerId: 'key_1' });
    await links.insert(link);
    await changeByHand(databaseUrl, 'update payment_links set genesis_hash = null');
    const idempotent = { 'idempotency-key': 'order-1' };
    const needRecords = [
      () => client.send('POST', transferPath, createBody, idempotent),
      () => client.send('POST', linksPath, linkBody),
      () => client.send('GET', linksPath),
      () => fetch(`${service.url}/pay/${link.id}`),
      () => fetch(`${service.url}/pay/${link.id}/state`),
    ];
    for (const ask of needRecords) {
      const { status, code } = await readProblem(await ask());
      assert.deepEqual([status, code], [502, 'upstream_error'], String(ask));
    }
    assert.equal((await client.send('POST', transferPath, createBody)).status, 200);
    assert.deepEqual(await readByHand(databaseUrl, 'select * from ledgers'), []);

    await store.ledgers.open('Another1', true, Date.now());
    await links.insert(linkWith());
    node.fault = healthy;
    await assertReplay(client, idempotent, false);
    await assertReplay(client, idempotent, true);
    assert.equal((await fetch(`${service.url}/pay/${link.id}/state`)).status, 200);
    const late = service.log.filter((line) => line.includes('The database also has 1 payment link of other ledgers'));
    assert.equal(late.length, 1, 'the log says what the greeting could not');
    assert.ok(late[0]?.includes(sandbox.ledger.genesisHash));
  });
});

/** What a sandbox says of itself, but where it listens. */
async function worldOf(url: string): Promise<object> {
  const world: unknown = await (await fetch(`${url}/sandbox/world`)).json();
  assert.ok(typeof world === 'object' && world !== null && 'wallets' in world);
  return { ...world, rpc_url: undefined, websocket_url: undefined };
}

/** Asks for a transfer with a memo of its own. */
async function assertReplay(
  client: LinkClient,
  headers: Record<string, string>,
  isReplay: boolean,
  memo = 'order 1',
): Promise<void> {
  const reply = await client.send('POST', transferPath, { ...createBody, memo }, headers);
  assert.equal(reply.status, 200, await reply.text());
  assert.equal(reply.headers.get('idempotency-replayed'), isReplay ? 'true' : null);
}

async function assertRefused(reply: Promise<Response>, status: number, code: string): Promise<void> {
  const problem = await readProblem(await reply);
  assert.deepEqual([problem.status, problem.code], [status, code]);
}
