import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'iovalkey';
import { startRedis } from '../../../../../test/setup/redis.ts';
import { connect } from './connect-counter.ts';

test('Processes with the same URL count together, each key by itself, in windows of a minute', async (t) => {
  const redis = await startRedis(t);
  const [one, other] = [await connect(t, redis.url), await connect(t, redis.url)];
  const counts = await Promise.all(Array.from({ length: 200 }, (_, index) => (index % 2 ? one : other).count('a')));
  assert.deepEqual(
    counts.sort((a, b) => a - b),
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
  assert.equal(await one.count('b'), 1);
  const { msBeforeNext } = await one.counter.consume('a');
  assert.ok(msBeforeNext > 50_000 && msBeforeNext <= 60_000, `${msBeforeNext} ms`);
  assert.deepEqual([...one.changes, ...other.changes], [], 'Redis is reached without a word about it');
});

test('A Redis that is killed leaves each process with the count it last heard of, and is taken back', async (t) => {
  const redis = await startRedis(t);
  const [one, other] = [await connect(t, redis.url), await connect(t, redis.url)];
  for (let index = 1; index <= 4; index++) assert.equal(await (index % 2 ? one : other).count('a'), index);
  await redis.kill();
  await Promise.all([one.until(/^lost/), other.until(/^lost/)]);
  assert.deepEqual([one.counter.isReachable, await one.count('a'), await other.count('a')], [false, 4, 5]);
  await redis.restart();
  await one.until(/^back/);
  assert.equal(one.counter.isReachable, true);
  assert.deepEqual([await one.count('a'), await one.count('b')], [5, 1], 'what this process knows is not forgotten');
  assert.equal(one.changes.length, 2, `${one.changes}`);
});

test('A Redis that falls silent with requests waiting is given up, and fails none of them', async (t) => {
  const redis = await startRedis(t);
  const { counter, count, until } = await connect(t, redis.url);
  assert.equal(await count('a'), 1);
  redis.freeze();
  const counts = await Promise.all([1, 2, 3].map(() => count('a')));
  assert.deepEqual(counts, [2, 3, 4]);
  assert.equal(counter.isReachable, false);
  redis.thaw();
  await until(/^back/);
  assert.equal(await count('b'), 1);
});

test('A Redis that refuses the password, or to write, counts as lost, and no error holds the password', async (t) => {
  const redis = await startRedis(t);
  const wrong = await connect(t, redis.url.replace(redis.password, `${redis.password}WRONG`));
  assert.deepEqual(wrong.changes, ['lost WRONGPASS']);
  const none = await connect(t, redis.url.replace(`:${redis.password}@`, ''));
  assert.deepEqual(none.changes, ['lost NOAUTH']);
  const { url: fullUrl } = await startRedis(t, ['--maxmemory', '1', '--maxmemory-policy', 'noeviction']);
  const full = await connect(t, fullUrl);
  assert.deepEqual(full.changes, ['lost OOM']);
  for (const text of [...wrong.changes, ...none.changes, ...full.changes]) assert.ok(!text.includes(redis.password));
});

test('A user with the documented rights alone is enough, and one with fewer is refused', async (t) => {
  const redis = await startRedis(t);
  const administrator = new Redis(redis.url);
  t.after(() => administrator.disconnect());
  const rights = '+evalsha +eval +set +incrby +pttl +expire +info +client +select ~splwright:rate:*'.split(' ');
  await administrator.call('ACL', 'SETUSER', 'limits', 'on', '>a/b@c:d', ...rights);
  await administrator.call('ACL', 'SETUSER', 'reader', 'on', '>a/b@c:d', '+get', '+info', '~*');
  const urlOf = (user: string): string => `redis://${user}:a%2Fb%40c%3Ad@127.0.0.1:${redis.port}/3`;
  const allowed = await connect(t, urlOf('limits'));
  assert.deepEqual([await allowed.count('a'), await allowed.count('a'), allowed.changes], [1, 2, []]);
  assert.deepEqual((await connect(t, urlOf('reader'))).changes, ['lost NOPERM']);
  assert.deepEqual((await connect(t, urlOf('nobody'))).changes, ['lost WRONGPASS']);
});
