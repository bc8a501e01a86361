import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startTestService } from '../../../../test/setup/service.ts';
import { generateApiKey } from '../../src/app/api-key.ts';
import { assertProblem } from '../app/problem.ts';
import { memoPath, yidBody } from '../app/sample-bodies.ts';
import { newKeyStore } from '../store/databases.ts';

/** Starts a service and sends it 60 unknown keys, each with the `X-Forwarded-For` of its number. */
async function startFlooded(t: TestContext, trustProxy: string, forwardedFor: (count: number) => string) {
  const { databaseUrl, store } = await newKeyStore(t);
  const { key: unused } = await store.create({ name: 'unused', expiresAt: null });
  const service = await startTestService(t, { DATABASE_URL: databaseUrl, TRUST_PROXY: trustProxy });
  const post = (key: string, from: string): Promise<Response> =>
    service.post(memoPath, yidBody, { authorization: `Bearer ${key}`, 'x-forwarded-for': from });
  for (let count = 0; count < 60; count += 1) {
    assert.equal((await post(generateApiKey(), forwardedFor(count))).status, 401);
  }
  return { post, unused };
}

async function assertTooMany(response: Response): Promise<void> {
  const seconds = Number(response.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 60, `${seconds} seconds`);
  const detail = `Too many unknown API keys came from this address, and this one is not known either. Try again in ${seconds} seconds.`;
  await assertProblem(response, 'rate_limited', detail);
}

test('A flood of unknown keys through a proxy that is trusted', async (t) => {
  // What stands before the last entry is whatever the client wrote.
  const { post, unused } = await startFlooded(t, '1', (count) => `198.51.100.${count}, 203.0.113.7`);

  await t.test('stops unknown keys from the address that the proxy saw, whatever the client claims to be', async () => {
    for (const from of ['203.0.113.7', '192.0.2.1, 203.0.113.7', '203.0.113.7:50123', '[::FFFF:203.0.113.7]:50124'])
      await assertTooMany(await post(generateApiKey(), from));
  });

  await t.test('stops neither an unknown key from another address', async () => {
    assert.equal((await post(generateApiKey(), '203.0.113.8')).status, 401);
  });

  await t.test('nor a valid key from there that is new to this process', async () => {
    assert.equal((await post(unused, '203.0.113.7')).status, 200);
  });
});

test('A flood of unknown keys through two proxies is counted by the address that the first one saw', async (t) => {
  const { post, unused } = await startFlooded(t, '2', (count) => `198.51.100.${count}, 203.0.113.7:${count}, 10.0.0.1`);
  await assertTooMany(await post(generateApiKey(), '203.0.113.7, 10.0.0.2'));
  assert.equal((await post(generateApiKey(), '203.0.113.8, 10.0.0.1')).status, 401);
  assert.equal((await post(unused, '203.0.113.7, 10.0.0.1')).status, 200);
});

test('A flood of unknown keys through a proxy that is not trusted', async (t) => {
  const { post, unused } = await startFlooded(t, '0', (count) => `203.0.113.${count}`);

  await t.test('is counted by the peer of the connection', async () => {
    await assertTooMany(await post(generateApiKey(), '203.0.113.200'));
  });

  await t.test('stops no valid key of the other clients of that proxy', async () => {
    assert.equal((await post(unused, '203.0.113.201')).status, 200);
  });
});
