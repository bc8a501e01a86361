import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { exampleTransactions } from '../../../packages/server/src/wire/openapi/reply-examples.ts';
import { assertFaults, readProblem } from '../../../packages/server/test/http/problem.ts';
import { exchangeRaw } from '../../../packages/server/test/http/raw-http.ts';
import { createBody, createPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';
import { outcomePath } from './outcome-service.ts';

const question = { transaction: exampleTransactions.memo_transfer, last_valid_block_height: '419208222' };
const page = 'https://shop.example';

test('A key that may build nothing may ask, within its rate limit, and its requests count as answers', async (t) => {
  const { databaseUrl, store } = await newKeyStore(t);
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });
  const restrictions = { ...unrestricted, operations: new Set([]), mints: new Set([]), fromAddresses: new Set([]) };
  const { key, record } = await store.create({ name: 'asks', expiresAt: null, restrictions, rateLimitPerMinute: 4 });
  const authorization = { authorization: `Bearer ${key}` };
  assert.equal((await service.post(createPath, createBody, authorization)).status, 403);
  const reply = await service.post(outcomePath, question, authorization);
  assert.equal(reply.status, 200);
  assert.deepEqual(
    [reply.headers.get('content-type'), reply.headers.get('ratelimit-policy'), reply.headers.get('solana-blockhash')],
    ['application/json; charset=utf-8', '"default";q=4;w=60', null],
  );
  assert.match(reply.headers.get('ratelimit') ?? '', /^"default";r=2;t=\d+$/);
  const list = { transactions: Array.from({ length: 10 }, () => question) };
  assert.equal((await service.post(outcomePath, list, authorization)).status, 200, 'a list of ten is one request');
  await assertFaults(await service.post(outcomePath, {}, authorization), [
    ['', 'transaction_or_transactions_required', /both missing/],
  ]);
  assert.equal((await readProblem(await service.post(outcomePath, question, authorization))).code, 'rate_limited');

  const counts = async (): Promise<string> => {
    const usage = await store.listUsage('2000-01-01');
    const own = usage.filter(({ keyId }) => keyId === record.id);
    return own
      .map(({ outcome, requests }) => `${outcome} ${requests}`)
      .sort()
      .join();
  };
  await readUntil(counts, (text) => text === 'answered 2,invalid_request 1,key_not_allowed 1,rate_limited 1');
});

test('Without a key, with the wrong method or media type, it is refused as every other operation is', async (t) => {
  const service = await startTestService(t);
  const codeOf = async (response: Promise<Response>): Promise<string> => (await readProblem(await response)).code;
  assert.equal(await codeOf(fetch(service.url + outcomePath, { method: 'POST' })), 'api_key_missing');
  assert.equal(await codeOf(fetch(service.url + outcomePath)), 'method_not_allowed');
  assert.equal(await codeOf(service.post(outcomePath, '{', {})), 'invalid_json');
  assert.equal(
    await codeOf(service.post(outcomePath, question, { 'content-type': 'text/plain' })),
    'unsupported_media_type',
  );
  assert.equal(await codeOf(service.post(outcomePath, ' '.repeat(2_097_153))), 'body_too_large');
});

test('A page of an allowed origin may ask, and reads the answer', async (t) => {
  const service = await startTestService(t, { CORS_ORIGINS: page });
  const lines = [
    'Host: x',
    `Origin: ${page}`,
    'Access-Control-Request-Method: POST',
    'Access-Control-Request-Headers: authorization,content-type',
  ];
  const preflight = await exchangeRaw(service.url, `OPTIONS ${outcomePath} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, page]);
  for (const [body, status] of [
    [question, 200],
    [{}, 400],
  ] as const) {
    const reply = await service.post(outcomePath, body, { origin: page });
    assert.deepEqual([reply.status, reply.headers.get('access-control-allow-origin')], [status, page]);
    assert.match(reply.headers.get('access-control-expose-headers') ?? '', /X-Request-Id/);
  }
});

test('While no node can be asked, it is a fault of the upstream and not an outcome', async (t) => {
  const service = await startServiceOn(t, 'http://127.0.0.1:1');
  const problem = await readProblem(await service.post(outcomePath, question));
  assert.deepEqual([problem.status, problem.code], [503, 'upstream_unavailable']);
});

test('While too much is being worked on, it is refused before it is read', async (t) => {
  const service = await startTestService(t, { MAX_REQUESTS_IN_FLIGHT: '1' });
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const reply = await service.post(outcomePath, question);
      if (reply.status !== 200) assert.equal((await readProblem(reply)).code, 'overloaded');
      return reply.status;
    }),
  );
  assert.ok(statuses.includes(200) && statuses.includes(503), statuses.join());
});
