import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fastify } from 'fastify';
import { tooSlow } from '../../src/chain/upstream-faults.ts';
import { acceptJsonBodies } from '../../src/http/json-body.ts';
import { RequestsInFlight } from '../../src/http/load/in-flight.ts';
import { type OutcomeSource, registerOutcomeRoutes } from '../../src/http/outcome-routes.ts';
import { handleError } from '../../src/http/problem-replies.ts';
import type { Verdict } from '../../src/service/outcome/verdict.ts';
import { exampleTransactions } from '../../src/wire/openapi/reply-examples.ts';
import { routes } from '../../src/wire/routes.ts';

const transaction = exampleTransactions.memo_transfer;
const { path, bodyLimitBytes } = routes.findOutcome;
const expired: Verdict = { outcome: 'expired', blockHeight: 9n, lastValidBlockHeight: 8n };

async function startRoute(t: TestContext, find: OutcomeSource['find']) {
  const inFlight = new RequestsInFlight();
  const app = fastify({ bodyLimit: 1_000 });
  app.setErrorHandler(handleError);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('apiKey', null);
  acceptJsonBodies(app);
  registerOutcomeRoutes(app, { outcomes: { find }, inFlight, requestDeadlineMs: 5_000, bodyLimitBytes: 1_000 });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const post = async (body: string, headers = {}) => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const reply = await fetch(url + path, init);
    const json: { code?: string; detail?: string; data?: unknown } = JSON.parse(await reply.text());
    return { ...json, status: reply.status, retryAfter: reply.headers.get('retry-after') };
  };
  return { post, inFlight };
}

test('What is asked is found in order, until the deadline, and counted as being worked on', async (t) => {
  const heights: unknown[] = [];
  const { post, inFlight } = await startRoute(t, async (items, deadline) => {
    const left = deadline - performance.now();
    assert.ok(left > 1_000 && left <= 5_000);
    heights.push(
      items.map(({ lastValidBlockHeight }) => lastValidBlockHeight),
      inFlight.building,
    );
    return items.map(() => expired);
  });
  const one = await post(JSON.stringify({ transaction, last_valid_block_height: '7' }));
  const list = await post(
    JSON.stringify({ transactions: [{ transaction, last_valid_block_height: '1' }, { transaction }] }),
  );
  assert.deepEqual(heights, [[7n], 1, [1n, undefined], 1]);
  assert.deepEqual([one.status, Object(one.data).outcome], [200, 'expired']);
  assert.ok(Array.isArray(list.data));
  assert.equal(list.data.length, 2);
  assert.equal(inFlight.building, 0);
});

test('A fault of the upstream is refused as one, and a body with faults is not asked about', async (t) => {
  const { post } = await startRoute(t, () => Promise.reject(tooSlow()));
  assert.deepEqual((await post(JSON.stringify({ transaction }))).code, 'upstream_timeout');
  assert.equal((await post('{}')).code, 'invalid_request');
  assert.equal((await post('')).code, 'invalid_json');
});

test('A hundred of the largest transactions fit as arrays of bytes, and nothing larger is read', async (t) => {
  const { post } = await startRoute(t, async (items) => items.map(() => expired));
  const bytes = `[${Array.from({ length: 4_096 }, () => '255').join(', ')}]`;
  const body = `{"transactions": [${Array.from({ length: 100 }, () => `{"transaction": ${bytes}, "last_valid_block_height": "18446744073709551615"}`).join(', ')}]}`;
  const reply = await post(body);
  assert.deepEqual([reply.status, reply.code], [400, 'invalid_request'], reply.detail);
  assert.match(
    reply.detail ?? '',
    /^The request has 100 faults, the first: transactions\/0\/transaction is not a transaction/,
  );
  const tooLarge = await post(body.padEnd(bodyLimitBytes + 1));
  assert.deepEqual([tooLarge.status, tooLarge.code], [413, 'body_too_large']);
  assert.match(tooLarge.detail ?? '', new RegExp(`larger than the ${bodyLimitBytes} bytes`));
});

test('Of large bodies 32 are worked on at once; small ones are taken all the same', async (t) => {
  const finish = Promise.withResolvers<void>();
  let asked = 0;
  const all = Promise.withResolvers<void>();
  const { post } = await startRoute(t, async (items) => {
    asked += 1;
    if (asked === 33) all.resolve();
    await finish.promise;
    return items.map(() => expired);
  });
  const small = JSON.stringify({ transaction });
  const large = small.padEnd(1_001);
  const waiting = Array.from({ length: 32 }, () => post(large));
  waiting.push(post(small));
  await all.promise;
  const refused = await post(large);
  assert.deepEqual([refused.status, refused.code, refused.retryAfter], [503, 'overloaded', '1']);
  finish.resolve();
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
  assert.equal((await post(large)).status, 200);
});
