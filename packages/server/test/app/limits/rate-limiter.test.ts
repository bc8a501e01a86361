import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MemoryCounter, RateLimiter, windowMs } from '../../../src/app/limits/rate-limiter.ts';

function limiterOf(t: TestContext, defaultPerMinute: number): RateLimiter {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 });
  return new RateLimiter(defaultPerMinute, new MemoryCounter());
}

async function takeAll(limiter: RateLimiter, ...ids: string[]): Promise<(boolean | undefined)[]> {
  const decisions = await Promise.all(ids.map((id) => limiter.take({ id, rateLimitPerMinute: null })));
  return decisions.map((decision) => decision?.isAllowed);
}

test('A key is held to the limit of the service, whatever other keys do', async (t) => {
  assert.deepEqual(await takeAll(limiterOf(t, 2), 'a', 'a', 'a', 'b'), [true, true, false, true]);
});

test('A key is held to its own limit, more or less than that of the service', async (t) => {
  const limiter = limiterOf(t, 2);
  const more = { id: 'more', rateLimitPerMinute: 3 };
  const less = { id: 'less', rateLimitPerMinute: 1 };
  assert.deepEqual(await limiter.take(more), { isAllowed: true, limit: 3, remaining: 2, remainingMs: 60_000 });
  assert.equal((await limiter.take(less))?.isAllowed, true);
  assert.deepEqual(await limiter.take(less), { isAllowed: false, limit: 1, remaining: 0, remainingMs: 60_000 });
});

test('A limit that is changed within a window counts at once, with what was used of it', async (t) => {
  const limiter = limiterOf(t, 2);
  assert.deepEqual(await takeAll(limiter, 'a', 'a', 'a'), [true, true, false]);
  assert.deepEqual(await limiter.take({ id: 'a', rateLimitPerMinute: 5 }), {
    isAllowed: true,
    limit: 5,
    remaining: 1,
    remainingMs: 60_000,
  });
});

test('0 is no limit, of the service or of the key', async (t) => {
  assert.equal(limiterOf(t, 0).take({ id: 'a', rateLimitPerMinute: null }), undefined);
  const limiter = new RateLimiter(5, new MemoryCounter());
  assert.equal(limiter.take({ id: 'a', rateLimitPerMinute: 0 }), undefined);
  const unlimited = new RateLimiter(0, new MemoryCounter());
  assert.equal((await unlimited.take({ id: 'a', rateLimitPerMinute: 5 }))?.limit, 5);
});

test('A window begins with the first request of a key and lasts a minute', async (t) => {
  const limiter = limiterOf(t, 1);
  t.mock.timers.tick(123);
  assert.deepEqual(await takeAll(limiter, 'a'), [true]);
  t.mock.timers.tick(windowMs - 1);
  const refused = await limiter.take({ id: 'a', rateLimitPerMinute: null });
  assert.deepEqual(refused, { isAllowed: false, limit: 1, remaining: 0, remainingMs: 1 });
  t.mock.timers.tick(1);
  assert.deepEqual(await takeAll(limiter, 'a', 'a'), [true, false]);
});

test('No window is longer than a minute, even after the clock was set back', async (t) => {
  const limiter = limiterOf(t, 5);
  await takeAll(limiter, 'a');
  t.mock.timers.setTime(0);
  assert.equal((await limiter.take({ id: 'a', rateLimitPerMinute: null }))?.remainingMs, windowMs);
});

test('A request counts once where nothing else is said', (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'] });
  assert.deepEqual(new MemoryCounter().consume('a'), { consumedPoints: 1, msBeforeNext: windowMs });
});

test('Requests that count several times use up as much of the limit', async (t) => {
  const limiter = limiterOf(t, 10);
  const key = { id: 'a', rateLimitPerMinute: null };
  await limiter.take(key, 7);
  assert.equal((await limiter.take(key, 3))?.remaining, 0);
  assert.equal((await limiter.take(key))?.isAllowed, false);
});

test('A window that began after a key was idle for longer than one is whole', async (t) => {
  const limiter = limiterOf(t, 1);
  await takeAll(limiter, 'a');
  // The wall clock runs ahead of the timers: the window has ended, and what clears it comes in the middle of the next.
  t.mock.timers.setTime(1_000_000 + windowMs);
  assert.deepEqual(await takeAll(limiter, 'a', 'a'), [true, false]);
  t.mock.timers.tick(windowMs - 1);
  assert.deepEqual(await takeAll(limiter, 'a'), [false]);
});

test('A thousand requests at once pass exactly as often as the limit says', async (t) => {
  const limiter = limiterOf(t, 137);
  const passed = await takeAll(limiter, ...Array.from({ length: 1000 }, () => 'a'));
  assert.equal(passed.filter(Boolean).length, 137);
});
