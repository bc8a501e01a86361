import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { Agent, request } from 'undici';
import { generateApiKey } from '../../../packages/server/src/keys/api-key.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { assertProblem } from '../../../packages/server/test/http/problem.ts';
import { createBody, createPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { startPostgres } from '../../setup/postgres.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { assertEndsWell, startServer } from '../program/cli-process.ts';

const connections = 8;
const keysInUse = 20;
/** More than any answer of the key store counts for. */
const longOutageMs = 7000;

const unavailable = 'The store of API keys is not available, and this key was not used recently. Try again soon.';
const body = JSON.stringify(createBody);

/** Sends requests with some keys over and over, on kept-alive connections, until it is stopped. */
function startLoad(t: TestContext, url: string, keys: readonly string[]) {
  const agent = new Agent({ connections, pipelining: 1 });
  t.after(() => agent.destroy());
  const statuses = new Map<number, number>();
  let isStopped = false;
  const client = async (first: number): Promise<void> => {
    for (let count = first; !isStopped; count += connections) {
      const headers = { authorization: `Bearer ${keys[count % keys.length]}`, 'content-type': 'application/json' };
      const reply = await request(url + createPath, { dispatcher: agent, method: 'POST', headers, body });
      await reply.body.dump();
      statuses.set(reply.statusCode, (statuses.get(reply.statusCode) ?? 0) + 1);
      // A pace that leaves the machine to the others: hundreds of requests a second.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const clients = Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
  return {
    statuses,
    async stop(): Promise<void> {
      isStopped = true;
      await clients;
    },
  };
}

test('Under load, PostgreSQL is killed, started again and frozen, and no request with a known key fails', async (t) => {
  const postgres = await startPostgres({ after });
  const databaseUrl = await postgres.createDatabase();
  const store = await openKeyStore(databaseUrl);
  const created = await Promise.all(
    Array.from({ length: keysInUse + 2 }, (_, index) => store.create({ name: `client ${index}`, expiresAt: null })),
  );
  await store.close();
  const [unused, unusedToo, ...used] = created;
  assert.ok(unused && unusedToo);
  const { server, url } = await startServer(t, { DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '0' });
  const post = (key: string): Promise<Response> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return fetch(url + createPath, { method: 'POST', headers, body });
  };
  const forAWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, longOutageMs));
  for (const { key } of used) assert.equal((await post(key)).status, 200);
  const load = startLoad(
    t,
    url,
    used.map(({ key }) => key),
  );

  await postgres.kill();
  await forAWhile();
  for (const key of [unused.key, generateApiKey()]) {
    const reply = await post(key);
    assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]$/);
    await assertProblem(reply, 'key_store_unavailable', unavailable);
  }
  assert.equal((await fetch(`${url}/readyz`)).status, 200, 'known keys need no store');
  assert.deepEqual([...load.statuses.keys()], [200]);

  await postgres.start();
  await waitUntil(async () => (await post(unused.key)).status === 200);
  const again = await openKeyStore(databaseUrl);
  const fresh = await again.create({ name: 'fresh', expiresAt: null });
  assert.equal((await post(fresh.key)).status, 200);
  await again.revoke(fresh.record.id);
  await waitUntil(async () => (await post(fresh.key)).status === 401);

  postgres.freeze();
  await forAWhile();
  assert.equal((await post(generateApiKey())).status, 503);
  postgres.thaw();
  await waitUntil(async () => (await post(unusedToo.key)).status === 200);

  await load.stop();
  assert.deepEqual([...load.statuses.keys()], [200]);
  const stdout = await assertEndsWell(server, 'SIGTERM');
  const said = (message: string): number => stdout.split(`"msg":"${message}"`).length - 1;
  assert.deepEqual([said('the key store does not answer'), said('the key store answers again')], [2, 2]);
  assert.equal(said('the usage of API keys was lost'), 0);

  const usage = await again.listUsage('2000-01-01');
  const ids = new Set(used.map(({ record }) => record.id));
  const counted = usage.filter(({ keyId }) => ids.has(keyId)).reduce((sum, { requests }) => sum + requests, 0);
  assert.equal(counted, (load.statuses.get(200) ?? 0) + used.length, 'every request is counted once');
  for (const record of (await again.list()).filter(({ id }) => ids.has(id))) assert.ok(record.lastUsedAt);
  await again.close();
});
