import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { generateApiKey } from '../../src/keys/api-key.ts';
import { openKeyStore } from '../../src/keys/open-key-store.ts';
import { temporaryFolder } from '../keys/temporary-folder.ts';
import { startTestService } from '../setup/service.ts';
import { assertProblem } from './problem.ts';
import { memoPath, yidBody } from './sample-bodies.ts';

async function startFlooded(t: TestContext, trustProxy: 'true' | 'false') {
  const databaseUrl = `sqlite:${temporaryFolder(t)}/keys.db`;
  const store = await openKeyStore(databaseUrl);
  const [inUse, unused] = [
    await store.create({ name: 'in use', expiresAt: null }),
    await store.create({ name: 'unused', expiresAt: null }),
  ];
  await store.close();
  const service = await startTestService(t, { DATABASE_URL: databaseUrl, TRUST_PROXY: trustProxy });
  const post = (key: string, forwardedFor: string): Promise<Response> =>
    service.post(memoPath, yidBody, { authorization: `Bearer ${key}`, 'x-forwarded-for': forwardedFor });
  assert.equal((await post(inUse.key, '203.0.113.7')).status, 200);
  for (let count = 0; count < 60; count += 1) {
    // What stands before the last entry is whatever the client wrote.
    assert.equal((await post(generateApiKey(), `198.51.100.${count}, 203.0.113.7`)).status, 401);
  }
  return { post, inUse: inUse.key, unused: unused.key };
}

async function assertTooMany(response: Response): Promise<void> {
  const seconds = Number(response.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 60, `${seconds} seconds`);
  const detail = `Too many unknown API keys came from this address. Try again in ${seconds} seconds; keys in use go on working.`;
  await assertProblem(response, 'rate_limited', detail);
}

test('A flood of unknown keys through a proxy that is trusted', async (t) => {
  const { post, inUse, unused } = await startFlooded(t, 'true');

  await t.test('stops unknown keys from the address that the proxy saw, whatever the client claims to be', async () => {
    await assertTooMany(await post(generateApiKey(), '203.0.113.7'));
    await assertTooMany(await post(generateApiKey(), '192.0.2.1, 203.0.113.7'));
    await assertTooMany(await post(unused, '203.0.113.7'));
  });

  await t.test('stops neither a key in use from there nor anybody else', async () => {
    assert.equal((await post(inUse, '203.0.113.7')).status, 200);
    assert.equal((await post(generateApiKey(), '203.0.113.8')).status, 401);
    assert.equal((await post(unused, '203.0.113.8')).status, 200);
    assert.equal((await post(unused, '203.0.113.7')).status, 200, 'in use by now');
  });
});

test('A flood of unknown keys, with no proxy trusted, is counted by the peer of the connection', async (t) => {
  const { post, inUse } = await startFlooded(t, 'false');
  await assertTooMany(await post(generateApiKey(), '203.0.113.8'));
  assert.equal((await post(inUse, '203.0.113.8')).status, 200);
});
