import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService, type TestService } from '../../../../test/setup/service.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { readProblem } from '../app/problem.ts';
import { exchangeRaw } from '../app/raw-http.ts';
import { createPath, memoPath, yidBody } from '../app/sample-bodies.ts';

const mintNotFound = { ...yidBody, token_mint_address: yidBody.to_address };

/** The two fields of a reply, their grammar checked; `undefined` when it has neither. */
function readRateLimit(response: Response): { quota: number; left: number; seconds: number } | undefined {
  const policy = response.headers.get('ratelimit-policy');
  const limit = response.headers.get('ratelimit');
  if (policy === null && limit === null) return undefined;
  const [, quota] = /^"default";q=([0-9]+);w=60$/.exec(policy ?? '') ?? assert.fail(`RateLimit-Policy: ${policy}`);
  const [, left, seconds] = /^"default";r=([0-9]+);t=([0-9]+)$/.exec(limit ?? '') ?? assert.fail(`RateLimit: ${limit}`);
  return { quota: Number(quota), left: Number(left), seconds: Number(seconds) };
}

async function useUp(service: TestService, count: number, headers: Record<string, string> = {}): Promise<void> {
  for (let index = 0; index < count; index++) {
    assert.equal((await service.post(memoPath, yidBody, headers)).status, 200);
  }
}

test('Every reply to a valid key has the state of its limit', async (t) => {
  const service = await startTestService(t, { RATE_LIMIT_PER_MINUTE: '100' });
  const cases: readonly [status: number, body: unknown, headers?: Record<string, string>][] = [
    [200, yidBody],
    [400, {}],
    [400, '{'],
    [413, 'x'.repeat(20_000)],
    [415, yidBody, { 'content-type': 'text/plain' }],
    [422, mintNotFound],
  ];
  for (const [index, [status, body, headers]] of cases.entries()) {
    const response = await service.post(memoPath, body, headers);
    const limit = readRateLimit(response);
    assert.equal(response.status, status);
    assert.deepEqual([limit?.quota, limit?.left], [100, 99 - index]);
    assert.ok(limit && limit.seconds > 30 && limit.seconds <= 60, `${limit?.seconds} s`);
    assert.equal(response.headers.get('retry-after'), null);
  }
});

test('A reply without a key has no state of a limit, and counts towards none', async (t) => {
  const service = await startTestService(t, { RATE_LIMIT_PER_MINUTE: '2' });
  const others = [
    await service.post(memoPath, yidBody, { authorization: 'Bearer x' }),
    await fetch(`${service.url}/livez`),
    await service.post('/nowhere', yidBody),
    await fetch(service.url + memoPath),
  ];
  assert.deepEqual(
    others.map(({ status }) => status),
    [401, 200, 404, 405],
  );
  for (const response of others) assert.equal(readRateLimit(response), undefined);
  await useUp(service, 2);
});

test('A key that has made its requests of this minute', async (t) => {
  const databaseUrl = `sqlite:${temporaryFolder(t)}/keys.db`;
  const service = await startTestService(t, { RATE_LIMIT_PER_MINUTE: '3', DATABASE_URL: databaseUrl });
  await useUp(service, 3);

  await t.test('learns the limit, and when to try again', async () => {
    const response = await service.post(memoPath, yidBody);
    const limit = readRateLimit(response);
    const { code, detail } = await readProblem(response);
    assert.deepEqual([response.status, code, limit?.quota, limit?.left], [429, 'rate_limited', 3, 0]);
    const seconds = limit?.seconds;
    assert.equal(response.headers.get('retry-after'), String(seconds));
    assert.equal(
      detail,
      `This API key may make 3 requests per minute, and has made them all. Come back in ${seconds} seconds.`,
    );
  });

  await t.test('is refused before its content type, its body and the chain are looked at', async () => {
    const declared = await service.post(memoPath, '{', { 'content-type': 'text/plain' });
    assert.equal(declared.status, 429);
    const head = `POST ${createPath} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${sandboxApiKey}\r\n`;
    const unfinished = `${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{`;
    assert.equal((await exchangeRaw(service.url, unfinished)).status, 429);
    assert.equal((await service.post(memoPath, mintNotFound)).status, 429);
  });

  await t.test('leaves the budgets of other keys alone', async () => {
    const store = await openKeyStore(databaseUrl);
    const { key } = await store.create({ name: 'other', expiresAt: null });
    await store.close();
    await useUp(service, 3, { authorization: `Bearer ${key}` });
    assert.equal((await service.post(memoPath, yidBody, { authorization: `Bearer ${key}` })).status, 429);
  });
});

test('A limit of 1 is said in the singular, and of 0 not at all', async (t) => {
  const one = await startTestService(t, { RATE_LIMIT_PER_MINUTE: '1' });
  await useUp(one, 1);
  const { detail } = await readProblem(await one.post(memoPath, yidBody));
  assert.match(
    detail,
    /^This API key may make 1 request per minute, and has made them all\. Come back in \d+ seconds\.$/,
  );

  const none = await startTestService(t, { RATE_LIMIT_PER_MINUTE: '0' });
  assert.equal(readRateLimit(await none.post(memoPath, yidBody)), undefined);
});
