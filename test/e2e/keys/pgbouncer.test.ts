import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { memoBody, memoPath, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { postgresOfThisFile } from '../../../packages/server/test/store/databases.ts';
import { startPgBouncer } from '../../setup/pgbouncer.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { assertEndsWell, runCli, startServer } from '../program/cli-process.ts';

/** What the documents promise of changes to keys, behind any pooler. */
const changesWithinMs = 5000;

test('Two services behind PgBouncer in transaction mode do everything that they do without it', async (t) => {
  const sandbox = await startTestSandbox(t);
  const pooler = await startPgBouncer(t, await postgresOfThisFile(), { mode: 'transaction', poolSize: 3 });
  const { pooledUrl } = await pooler.createDatabase();
  const environment = {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: pooledUrl,
  };
  const servers = await Promise.all([startServer(t, environment), startServer(t, environment)]);
  const urls = servers.map(({ url }) => url);
  const keys = (...words: string[]) => runKeys(t, pooledUrl, words);

  const { key, id } = await keys('create', '--name', 'acme', '--daily-limit', `${usdc}=4000000`);
  await within(changesWithinMs, async () => (await statusesOf(urls, key, {})).every((status) => status === 400));

  const retried = { 'idempotency-key': 'order-7' };
  const replies = await Promise.all(urls.map((url) => postUntilDone(url, key, retried)));
  assert.equal(replies[0], replies[1], 'one order, one transaction');
  // 1.5 tokens are built; of 4 a day a second transfer fits, and no third.
  assert.deepEqual(await statusesOf(urls, key, memoBody), [200, 403], 'the day is shared');

  await keys('revoke', id);
  await within(changesWithinMs, async () => (await statusesOf(urls, key, {})).every((status) => status === 401));

  for (const { server } of servers) server.kill('SIGTERM');
  for (const { server } of servers) {
    const stdout = await assertEndsWell(server);
    assert.doesNotMatch(stdout, /"level":[456]0/, 'nothing that a pooler cannot do was tried');
  }
  const [day] = (await keys('usage', id)).usage;
  assert.equal(day.builds, 2, 'counted once, by both together');
});

async function runKeys(t: TestContext, databaseUrl: string, words: readonly string[]) {
  const { status, stdout, stderr } = await runCli(t, ['keys', ...words, '--json'], { DATABASE_URL: databaseUrl });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

function post(url: string, key: string, body: unknown, more: Record<string, string> = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
  return fetch(url + memoPath, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** One after another, so that the second knows of the first. */
async function statusesOf(urls: readonly string[], key: string, body: unknown): Promise<number[]> {
  const statuses: number[] = [];
  for (const url of urls) {
    const reply = await post(url, key, body);
    await reply.arrayBuffer();
    statuses.push(reply.status);
  }
  return statuses;
}

/** The same request at the same moment is still under way at one of the services. */
async function postUntilDone(url: string, key: string, headers: Record<string, string>): Promise<string> {
  for (;;) {
    const reply = await post(url, key, memoBody, headers);
    const text = await reply.text();
    if (reply.status === 200) return text;
    assert.equal(reply.status, 409, text);
  }
}

async function within(ms: number, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + ms;
  // A request that was sent in time may be answered later.
  for (let askedAt = 0; !(await isTrue()); ) {
    assert.ok(askedAt < deadline, `not within ${ms} ms`);
    askedAt = performance.now();
  }
}
