import assert from 'node:assert/strict';
import { copyFileSync, renameSync } from 'node:fs';
import { test } from 'node:test';
import { startPostgres } from '../../../../test/setup/postgres.ts';
import { startTestService } from '../../../../test/setup/service.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { readUntil } from '../../../../test/setup/wait-until.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { changeByHand } from '../store/change-by-hand.ts';
import { memoPath, yidBody } from './sample-bodies.ts';

test('A service whose SQLite file is moved away or replaced', async (t) => {
  const path = `${temporaryFolder(t)}/keys.db`;
  const store = await openKeyStore(`sqlite:${path}`);
  const { key: used } = await store.create({ name: 'acme', expiresAt: null });
  const { key: unused } = await store.create({ name: 'unused', expiresAt: null });
  await store.close();
  const service = await startTestService(t, { DATABASE_URL: `sqlite:${path}` });
  const post = (key: string) => service.post(memoPath, yidBody, { authorization: `Bearer ${key}` });
  const untilReady = async (status: number): Promise<unknown> => {
    const isReady = (response: Response): boolean => response.status === status;
    return (await readUntil(() => fetch(`${service.url}/readyz`), isReady)).json();
  };
  assert.equal((await post(used)).status, 200);

  for (const [name, takeAway] of [
    ['moved away', () => renameSync(path, `${path}.away`)],
    [
      'replaced',
      () => {
        copyFileSync(path, `${path}.new`);
        renameSync(path, `${path}.away`);
        renameSync(`${path}.new`, path);
      },
    ],
  ] as const) {
    await t.test(`is not ready when it is ${name}, logs the reason, and accepts keys in use alone`, async () => {
      takeAway();
      const body = await untilReady(503);
      assert.ok(typeof body === 'object' && body !== null && 'checks' in body);
      assert.deepEqual(body.checks, { upstream: 'ok', keys: 'failed' });
      assert.match(service.log.join(''), /keys\.db is gone: its file was deleted, moved or replaced/);
      assert.equal((await post(used)).status, 200);
      const refused = await post(unused);
      assert.equal(refused.status, 503);
      assert.match(await refused.text(), /key_store_unavailable/);
    });

    await t.test('is ready again when it is put back', async () => {
      renameSync(`${path}.away`, path);
      await untilReady(200);
      assert.equal((await post(used)).status, 200);
    });
  }
});

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
