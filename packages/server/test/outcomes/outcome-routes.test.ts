import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fastify } from 'fastify';
import { acceptJsonBodies } from '../../src/app/json-body.ts';
import { MemoryCounter, RateLimiter } from '../../src/app/limits/rate-limiter.ts';
import { RequestsInFlight } from '../../src/app/overload.ts';
import { handleError } from '../../src/app/problem-replies.ts';
import { exampleTransactions } from '../../src/app/schema-parts.ts';
import { checkBySchemas } from '../../src/app/validate.ts';
import { tooSlow } from '../../src/chain/upstream-faults.ts';
import { limitRate } from '../../src/keys/rate-limit.ts';
import {
  outcomeBodyLimitBytes as bodyLimitBytes,
  type OutcomeSource,
  outcomePath as path,
  registerOutcomeRoutes,
} from '../../src/outcomes/outcome-routes.ts';
import type { Verdict } from '../../src/outcomes/verdict.ts';
import { isAppError } from '../../src/problems.ts';
import { apiKeyWith } from '../app/keyed-scene.ts';

const transaction = exampleTransactions.memo_transfer;
const expired: Verdict = { outcome: 'expired', blockHeight: 9n, lastValidBlockHeight: 8n };

async function startRoute(t: TestContext, find: OutcomeSource['find'], perMinute = 0) {
  const inFlight = new RequestsInFlight();
  const limiter = new RateLimiter(perMinute, new MemoryCounter());
  const app = fastify({ bodyLimit: 1_000 });
  app.setErrorHandler(handleError);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('apiKey', null);
  app.decorateRequest('work', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.apiKey = apiKeyWith();
    done();
  });
  checkBySchemas(app);
  acceptJsonBodies(app);
  limitRate(app, limiter);
  registerOutcomeRoutes(app, {
    outcomes: { find },
    inFlight,
    limiter,
    requestDeadlineMs: 5_000,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const post = async (body: string, headers = {}) => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const reply = await fetch(url + path, init);
    const json: { code?: string; detail?: string; data?: unknown } = JSON.parse(await reply.text());
    return {
      ...json,
      status: reply.status,
      retryAfter: reply.headers.get('retry-after'),
      left: reply.headers.get('ratelimit'),
    };
  };
  return { post, inFlight, app: url };
}

test('What is asked is found in order, until the deadline, and counted as being worked on', async (t) => {
  const heights: unknown[] = [];
  const { post, inFlight } = await startRoute(t, async (items, work) => {
    const left = work.deadline - performance.now();
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

const listOf = (count: number): string =>
  JSON.stringify({ transactions: Array.from({ length: count }, () => ({ transaction })) });

test('Each ten transactions, begun, count as one request, before they are looked for', async (t) => {
  let asked = 0;
  const find: OutcomeSource['find'] = async (items) => {
    asked += 1;
    return items.map(() => expired);
  };
  const { post } = await startRoute(t, find, 34);
  for (const [count, left] of [
    [1, 33],
    [10, 32],
    [11, 30],
    [100, 20],
  ] as const) {
    const reply = await post(listOf(count));
    assert.deepEqual([reply.status, reply.left], [200, `"default";r=${left};t=60`]);
  }
  assert.equal((await post(listOf(100))).status, 200);
  assert.equal((await post(listOf(1))).status, 200);
  const refused = await post(listOf(91));
  assert.deepEqual([refused.status, refused.code, asked], [429, 'rate_limited', 6]);
});

test('What a search costs beyond that counts against the next requests and refuses none that is answered', async (t) => {
  const find: OutcomeSource['find'] = async (items, work) => {
    work.furtherRequests = 7;
    return items.map(() => expired);
  };
  const { post } = await startRoute(t, find, 10);
  const first = await post(listOf(1));
  assert.deepEqual([first.status, first.left], [200, '"default";r=9;t=60']);
  const second = await post(listOf(1));
  assert.deepEqual([second.status, second.left], [200, '"default";r=1;t=60']);
  assert.equal((await post(listOf(1))).code, 'rate_limited');
});

test('A client that hangs up is known to the search', async (t) => {
  const searched = Promise.withResolvers<unknown>();
  const controller = new AbortController();
  const { app } = await startRoute(t, async (items, work) => {
    controller.abort();
    for (;;) {
      await nextTurn();
      try {
        work.assertWanted();
      } catch (error) {
        searched.resolve(error);
        return items.map(() => expired);
      }
    }
  });
  const init = { method: 'POST', body: listOf(1), headers: { 'content-type': 'application/json' } };
  await assert.rejects(fetch(app + path, { ...init, signal: controller.signal }));
  assert.ok(isAppError(await searched.promise, 'malformed_http'));
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
