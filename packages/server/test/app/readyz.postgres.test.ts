import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres } from '../../../../test/setup/postgres.ts';
import { startTestService } from '../../../../test/setup/service.ts';
import { readUntil } from '../../../../test/setup/wait-until.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { changeByHand } from '../store/change-by-hand.ts';
import { memoPath, yidBody } from './sample-bodies.ts';

test('A service whose pooled connections lead to a PostgreSQL that is read-only', async (t) => {
  const postgres = await startPostgres(t);
  const url = await postgres.createStore();
  const store = await openKeyStore(url);
  const { key } = await store.create({ name: 'acme', expiresAt: null });
  await store.close();
  const service = await startTestService(t, { DATABASE_URL: url });
  // Each pays another amount: no two are the same transaction.
  let count = 0;
  const post = (): Promise<Response> => {
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': `request-${++count}` };
    return service.post(memoPath, { ...yidBody, amount: String(count) }, headers);
  };
  const statusesOfEight = async (): Promise<readonly number[]> =>
    (await Promise.all(Array.from({ length: 8 }, post))).map(({ status }) => status);
  assert.deepEqual(await statusesOfEight(), Array(8).fill(200));
  const untilReady = async (status: number): Promise<void> => {
    await readUntil(
      () => fetch(`${service.url}/readyz`),
      (reply) => reply.status === status,
    );
  };

  await t.test('is not ready, and says so', async () => {
    await changeByHand(url, 'alter system set default_transaction_read_only = on');
    await changeByHand(url, 'select pg_reload_conf()');
    await untilReady(503);
    assert.match(service.log.join(''), /cannot execute UPDATE in a read-only transaction/);
    assert.equal((await post()).status, 503);
  });

  await t.test('serves requests with an idempotency key as soon as new connections can write', async () => {
    const database = new URL(url).pathname.slice(1);
    // Counts for connections that are made from now on.
    await changeByHand(
      url,
      `begin read write; alter database ${database} set default_transaction_read_only = off; commit`,
    );
    await untilReady(200);
    assert.deepEqual(await statusesOfEight(), Array(8).fill(200));
  });
});
