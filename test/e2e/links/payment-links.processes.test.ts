import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { linkBody, linksPath, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { type KeyDatabase, keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { startServer } from '../program/cli-process.ts';
import { LinkClient } from './link-service.ts';

/** Two processes on one database: a client of each with a key that is not limited, and with one that makes 5 of 100 payable today. */
async function start(t: TestContext, database: KeyDatabase) {
  const sandbox = await startTestSandbox(t);
  const { databaseUrl, store } = await newKeyStore(t, database);
  const amounts = new Map([[usdc, { perTransfer: null, perDay: 100n }]]);
  const restrictions = { ...unrestricted, amounts };
  const made = { expiresAt: null, rateLimitPerMinute: 0 };
  const [free, limited] = [
    await store.create({ ...made, name: 'shop' }),
    await store.create({ ...made, name: 'limited', restrictions }),
  ];
  const environment = {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'https://pay.example',
    METRICS_PORT: '0',
    PAY_RATE_LIMIT_PER_MINUTE: '0',
  };
  const servers = await Promise.all([startServer(t, environment), startServer(t, environment)]);
  const clientsOf = (key: string) => servers.map(({ url }) => new LinkClient(url, key));
  const limitedClients = clientsOf(limited.key);
  await limitedClients[0]?.create({ ...linkBody, amount: '95' });
  return { sandbox, clients: clientsOf(free.key), limitedClients };
}

describe('two processes on one database', () => {
  for (const database of keyDatabases) {
    it(`take the payment of a link that either has made, and list none that a limit refuses: ${database.name}`, async (t) => {
      const started = await start(t, database);
      await assertShared(started);
      await assertLimited(started);
    });
  }
});

async function assertShared({ sandbox, clients }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const [one, other] = clients;
  assert.ok(one && other);
  const { ledger, world } = sandbox;
  const alice = named(world.wallets, 'alice');
  const land = (transaction: string) =>
    signWith(Buffer.from(transaction, 'base64'), [alice.secret_key]).then((signed) => ledger.sendTransaction(signed));

  const made = await one.create(linkBody);
  assert.equal((await other.read(made.id)).state, 'open');
  // Taps twice, goes back, and taps again 12 s later: 60 blocks. All that a wallet then sends lands once.
  const taps = [one, other, one, other].map((client) => client.pay(made.id, alice.address));
  const replies = await Promise.all(taps);
  ledger.advanceSlots(60);
  for (const client of [one, other]) replies.push(await client.pay(made.id, alice.address));
  const transactions = new Set(replies.map((reply) => reply.transaction));
  assert.equal(transactions.size, 1);
  const blockhashes = new Set(replies.map(({ headers }) => headers.get('solana-blockhash')));
  assert.equal(blockhashes.size, 1);
  const [transaction = ''] = transactions;
  const sent = await land(transaction);
  assert.equal(sent.error, null);
  assert.notEqual((await land(transaction)).error, null);
  for (const client of [one, other]) {
    const paid = await client.readUntil(made.id, ({ state }) => state === 'paid');
    assert.equal(paid.signature, sent.signature);
    assert.equal(paid.payments.length, 1);
    const late = await readProblem(await client.askToPay(made.id, alice.address));
    assert.deepEqual([late.status, late.code], [410, 'payment_link_closed']);
  }
  for (const client of [other, one]) await client.readUntil(made.id, ({ is_final }) => is_final);

  const cancelled = await one.create(linkBody);
  await other.cancel(cancelled.id);
  assert.equal((await readProblem(await one.askToPay(cancelled.id, alice.address))).status, 410);
  assert.equal((await one.read(cancelled.id)).state, 'cancelled');
  const keyed = { 'idempotency-key': 'table-7' };
  const [first, second] = [await one.create(linkBody, keyed), await other.create(linkBody, keyed)];
  assert.equal(first.id, second.id);
}

/** Makes links of 60 that are refused and of 1 that fit five times, while others list the links and take their transactions. */
async function assertLimited({ sandbox, limitedClients: clients }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const alice = named(sandbox.world.wallets, 'alice').address;
  let isOver = false;
  const amounts = new Map<string, number>();
  const handedOut = new Set<string>();
  const watch = async (client: LinkClient) => {
    do {
      for (const { id, amount } of (await client.list({ limit: '100' })).data) {
        amounts.set(id, Number(amount));
        if (amount === '60' && (await client.askToPay(id, alice)).status === 200) handedOut.add(id);
      }
    } while (!isOver);
  };
  const make = async (client: LinkClient, index: number): Promise<number> => {
    const keyed: Record<string, string> = index % 3 === 0 ? { 'idempotency-key': `order-${index}` } : {};
    const body = { ...linkBody, amount: index % 2 === 0 ? '60' : '1' };
    for (;;) {
      const { status } = await client.send('POST', linksPath, body, keyed);
      if (status < 500 && status !== 409) return status;
    }
  };
  const watching = Promise.all(clients.map(watch));
  const requests = clients.flatMap((client, process) =>
    Array.from({ length: 12 }, (_, index) => make(client, process * 12 + index)),
  );
  const statuses = await Promise.all(requests).finally(() => {
    isOver = true;
  });
  await watching;
  await Promise.all(clients.map(watch));
  assert.equal(statuses.filter((status) => status === 201).length, 5);
  assert.ok(statuses.every((status) => status === 201 || status === 403));
  assert.deepEqual([...amounts.values()].toSorted(), [1, 1, 1, 1, 1, 95], 'nothing that was refused was ever listed');
  assert.equal(handedOut.size, 0);
}
