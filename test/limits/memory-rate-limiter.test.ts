import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryRateLimiter } from '../../src/limits/memory-rate-limiter.ts';

const clock = (): number => 1000;

test('The limiter in memory', async (t) => {
  await t.test('holds a key to the limit of the service, and others beside it to theirs', () => {
    const limiter = new MemoryRateLimiter(2, clock);
    const take = (id: string): boolean | undefined => limiter.take({ id, rateLimitPerMinute: null })?.isAllowed;
    assert.deepEqual([take('a'), take('a'), take('a'), take('b')], [true, true, false, true]);
  });

  await t.test('holds a key to its own limit, more or less than that of the service', () => {
    const limiter = new MemoryRateLimiter(2, clock);
    const more = { id: 'more', rateLimitPerMinute: 3 };
    const less = { id: 'less', rateLimitPerMinute: 1 };
    assert.deepEqual(limiter.take(more), { isAllowed: true, limit: 3, remaining: 2, millisecondsLeft: 60_000 });
    assert.equal(limiter.take(less)?.isAllowed, true);
    assert.deepEqual(limiter.take(less), { isAllowed: false, limit: 1, remaining: 0, millisecondsLeft: 60_000 });
  });

  await t.test('takes 0 for no limit, of the service or of the key', () => {
    assert.equal(new MemoryRateLimiter(0, clock).take({ id: 'a', rateLimitPerMinute: null }), undefined);
    assert.equal(new MemoryRateLimiter(5, clock).take({ id: 'a', rateLimitPerMinute: 0 }), undefined);
    assert.equal(new MemoryRateLimiter(0, clock).take({ id: 'a', rateLimitPerMinute: 5 })?.limit, 5);
  });
});
