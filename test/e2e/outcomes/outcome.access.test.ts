import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleTransactions } from '../../../packages/server/src/app/schema-parts.ts';
import { unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { assertFaults, readProblem } from '../../../packages/server/test/app/problem.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';
import { outcomePath } from './outcome-service.ts';

const question = { transaction: exampleTransactions.memo_transfer, last_valid_block_height: '419208222' };
const _page = 'https://shop.example';

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

test('While no node can be asked, it is a fault of the upstream and not an outcome', async (t) => {
  const service = await startServiceOn(t, 'http://127.0.0.1:1');
  const problem = await readProblem(await service.post(outcomePath, question));
  assert.deepEqual([problem.status, problem.code], [503, 'upstream_unavailable']);
});
