import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LeasedRateLimiter } from '../../src/limits/leased-rate-limiter.ts';
import { RedisLeaseSource } from '../../src/limits/redis-lease-source.ts';
import { WindowCounter } from '../../src/limits/window-counter.ts';
import { startRedis, type TestRedis } from '../setup/redis.ts';
import type { Cleanup } from '../setup/service.ts';

/** What a source has said of its reachability, and a way to wait for the next word. */
function watchChanges() {
  const changes: string[] = [];
  let waiting = Promise.withResolvers<void>();
  const onChange = (isReachable: boolean, reason: string): void => {
    changes.push(`${isReachable ? 'back' : 'lost'} ${reason}`);
    waiting.resolve();
    waiting = Promise.withResolvers();
  };
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(changes.at(-1) ?? '')) await waiting.promise;
  };
  return { changes, onChange, until };
}

async function connect(t: Cleanup, url: string) {
  const { changes, onChange, until } = watchChanges();
  const source = new RedisLeaseSource({ url, onChange });
  t.after(async () => source.close());
  await source.connect();
  return { source, changes, until };
}

const request = { id: 'a', limit: 5, wanted: 2 };

test('Budgets in Redis', async (t) => {
  const redis = await startRedis(t);
  const { source, changes } = await connect(t, redis.url);

  await t.test('are those that a counter in memory would keep', async () => {
    const lease = fc.record({ id: fc.constantFrom('x', 'y', 'z'), wanted: fc.integer({ min: 1, max: 40 }) });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.array(lease, { minLength: 1 })),
        async (limit, batches) => {
          run += 1;
          const counter = new WindowCounter(() => 0);
          for (const batch of batches) {
            const requests = batch.map(({ id, wanted }) => ({ id: `${run} ${id}`, limit, wanted }));
            const taken = await source.lease(requests);
            const expected = requests.map(({ id, wanted }) => counter.take(id, limit, wanted));
            for (const [index, { granted, remaining, millisecondsLeft }] of taken.entries()) {
              assert.deepEqual([granted, remaining], [expected[index]?.granted, expected[index]?.remaining]);
              assert.ok(millisecondsLeft > 50_000 && millisecondsLeft <= 60_000, `${millisecondsLeft} ms`);
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  await t.test('are shared by all who are given the same URL', async () => {
    const { source: other } = await connect(t, redis.url);
    assert.deepEqual((await source.lease([{ id: 'shared', limit: 5, wanted: 3 }]))[0]?.granted, 3);
    assert.deepEqual((await other.lease([{ id: 'shared', limit: 5, wanted: 3 }]))[0]?.granted, 2);
  });

  await t.test('are reached without a word about it', () => assert.deepEqual(changes, []));
});

test('A Redis that is killed and comes back', async (t) => {
  const redis = await startRedis(t);
  const { source, changes, until } = await connect(t, redis.url);
  await redis.kill();
  await until(/^lost/);
  assert.equal(source.isReachable, false);
  await assert.rejects(source.lease([request]));
  await redis.restart();
  await until(/^back/);
  assert.equal(source.isReachable, true);
  assert.equal((await source.lease([request]))[0]?.granted, 2);
  assert.equal(changes.length, 2, `${changes}`);
});

test('A Redis that falls silent keeps nobody waiting, is given up after a second and taken back', async (t) => {
  const redis = await startRedis(t);
  const { source, changes, until } = await connect(t, redis.url);
  const limiter = new LeasedRateLimiter({ source, defaultPerMinute: 100, processes: 4, now: () => performance.now() });
  redis.freeze();
  const decisions = await Promise.all([1, 2, 3].map(() => limiter.take({ id: 'a', rateLimitPerMinute: null })));
  assert.deepEqual(
    decisions.map((decision) => decision?.isAllowed),
    [true, true, true],
  );
  assert.deepEqual(changes, [], 'decided long before it was given up');
  await until(/^lost/);
  redis.thaw();
  await until(/^back/);
  assert.equal((await source.lease([request]))[0]?.granted, 2);
});

test('A Redis that is not there at the start is waited for in the background', async (t) => {
  const redis = await startRedis(t);
  await redis.kill();
  const { source, changes, until } = await connect(t, redis.url);
  assert.deepEqual([source.isReachable, changes], [false, ['lost ECONNREFUSED']]);
  await redis.restart();
  await until(/^back/);
  assert.equal(source.isReachable, true);
});

test('A Redis that refuses the password, or to write, counts as lost, and the password is not told', async (t) => {
  const redis = await startRedis(t);
  const wrong = await connect(t, redis.url.replace(redis.password, `${redis.password}WRONG`));
  assert.deepEqual(wrong.changes, ['lost WRONGPASS']);
  const none = await connect(t, redis.url.replace(`:${redis.password}@`, ''));
  assert.deepEqual(none.changes, ['lost NOAUTH']);
  const full = await connect(t, `${await withFullMemory(t)}`);
  assert.deepEqual(full.changes, ['lost OOM']);
  for (const text of [...wrong.changes, ...none.changes, ...full.changes]) assert.ok(!text.includes(redis.password));
});

/** The URL of a Redis that takes no writes. */
async function withFullMemory(t: Cleanup): Promise<string> {
  const redis: TestRedis = await startRedis(t, ['--maxmemory', '1', '--maxmemory-policy', 'noeviction']);
  return redis.url;
}
