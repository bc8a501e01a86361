import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { createBody, createPath, memoBody, memoPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
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
  type Day = { requests: number; builds: number; replays: number; refusals: Record<string, number> };
  const { usage: days }: { usage: Day[] } = JSON.parse(stdout);
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

test('Usage counts every request that two servers answered before they were stopped', async (t) => {
  const { databaseUrl, store } = await newKeyStore(t);
  const acme = await store.create({ name: 'acme', expiresAt: null });
  const zeta = await store.create({ name: 'zeta', expiresAt: null, rateLimitPerMinute: 2 });

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
    // The second server answers with what the first one stored.
    builds: 3,
    replays: 5,
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
