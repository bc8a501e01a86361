import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { linkBody } from '../../../packages/server/test/http/sample-bodies.ts';
import { type KeyDatabase, keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { startServer } from '../program/cli-process.ts';
import { LinkClient } from './link-service.ts';

// They wait for one another and for the next check, most of the time.
describe('A link that one process has made is paid through another, and every process says so', {
  concurrency: true,
}, () => {
  for (const database of keyDatabases) it(`in ${database.name}`, (t) => assertShared(t, database));
});

async function assertShared(t: TestContext, database: KeyDatabase): Promise<void> {
  const sandbox = await startTestSandbox(t);
  const { databaseUrl, store } = await newKeyStore(t, database);
  const { key } = await store.create({ name: 'shop', expiresAt: null });
  const environment = {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'https://pay.example',
    METRICS_PORT: '0',
    PAY_RATE_LIMIT_PER_MINUTE: '0',
    BLOCKHASH_MAX_AGE_MS: '0',
  };
  const servers = await Promise.all([startServer(t, environment), startServer(t, environment)]);
  const [one, other] = servers.map(({ url }) => new LinkClient(url, key));
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
