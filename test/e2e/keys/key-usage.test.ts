import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { createBody, createPath, memoBody, memoPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { runCli, startServer } from '../program/cli-process.ts';

async function post(url: string, path: string, key: string, body: unknown, more: object = {}): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
}

async function usageOf(t: TestContext, databaseUrl: string, ...args: string[]) {
  const { status, stdout, stderr } = await runCli(t, ['keys', 'usage', ...args, '--json'], {
    DATABASE_URL: databaseUrl,
  });
  assert.equal(status, 0, stderr);
  const days: { requests: number; builds: number; replays: number; refusals: Record<string, number> }[] =
    JSON.parse(stdout);
  // Around midnight there are two days.
  const sum = { requests: 0, builds: 0, replays: 0, refusals: {} as Record<string, number> };
  for (const { requests, builds, replays, refusals } of days) {
    sum.requests += requests;
    sum.builds += builds;
    sum.replays += replays;
    for (const [code, count] of Object.entries(refusals)) sum.refusals[code] = (sum.refusals[code] ?? 0) + count;
  }
  return sum;
}

for (const database of keyDatabases) {
  test(`Usage kept in ${database.name}`, async (t) => {
    const { databaseUrl, store } = await newKeyStore(t, database);
    const acme = await store.create({ name: 'acme', expiresAt: null });
    const zeta = await store.create({ name: 'zeta', expiresAt: null, rateLimitPerMinute: 2 });

    await t.test('counts every request that two servers answered before they were stopped', async (t) => {
      const environment = { DATABASE_URL: databaseUrl };
      const servers = [await startServer(t, environment), await startServer(t, environment)];
      for (const { url } of servers) {
        assert.equal(await post(url, memoPath, acme.key, memoBody), 200);
        const keyed = { 'idempotency-key': 'order-7' };
        for (let count = 0; count < 3; count++) {
          assert.equal(await post(url, createPath, acme.key, createBody, keyed), 200);
        }
        assert.equal(await post(url, memoPath, acme.key, { ...memoBody, amount: '18446744073709551615' }), 422);
        assert.equal(await post(url, memoPath, acme.key, {}), 400);
        assert.equal(await post(url, memoPath, sandboxApiKey, memoBody), 200);
        for (const status of [200, 200, 429, 429]) assert.equal(await post(url, memoPath, zeta.key, memoBody), status);
      }
      for (const { server } of servers) server.kill('SIGTERM');
      for (const { server } of servers) assert.equal((await server.ended).status, 0);

      assert.deepEqual(await usageOf(t, databaseUrl, '--name', 'acme'), {
        requests: 12,
        builds: 4,
        replays: 4,
        refusals: { insufficient_token_balance: 2, invalid_request: 2 },
      });
      assert.deepEqual(await usageOf(t, databaseUrl, 'zeta'), {
        requests: 8,
        builds: 4,
        replays: 0,
        refusals: { rate_limited: 4 },
      });
      assert.equal((await usageOf(t, databaseUrl)).requests, 20, 'the sandbox key has no usage');
    });

    await t.test('is there some seconds later, so that a crash loses no more', async (t) => {
      const { server, url } = await startServer(t, { DATABASE_URL: databaseUrl });
      const { key, record } = await store.create({ name: 'crash', expiresAt: null });
      for (let count = 0; count < 5; count += 1) assert.equal(await post(url, memoPath, key, memoBody), 200);
      const saved = async (): Promise<number> => {
        const usage = await store.listUsage('2000-01-01');
        return usage.filter(({ keyId }) => keyId === record.id).reduce((sum, { requests }) => sum + requests, 0);
      };
      await waitUntil(async () => (await saved()) >= 5);
      server.kill('SIGKILL');
      await server.ended;
      assert.equal(await saved(), 5);
    });
  });
}
