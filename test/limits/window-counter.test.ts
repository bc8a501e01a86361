import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WindowCounter } from '../../src/limits/window-counter.ts';

const minute = 60_000;

/** A counter, and the clock that it reads. */
function startCounter(): { counter: WindowCounter; clock: { now: number } } {
  const clock = { now: 1000 };
  return { counter: new WindowCounter(() => clock.now), clock };
}

test('A window', async (t) => {
  await t.test('begins with the first request of a key and lasts a minute', () => {
    const { counter, clock } = startCounter();
    assert.deepEqual(counter.take('a', 3, 1), { granted: 1, remaining: 2, millisecondsLeft: minute });
    clock.now += 18_000;
    assert.deepEqual(counter.take('a', 3, 1), { granted: 1, remaining: 1, millisecondsLeft: 42_000 });
    assert.deepEqual(counter.take('b', 3, 1), { granted: 1, remaining: 2, millisecondsLeft: minute });
  });

  await t.test('refuses what is past the limit to its last millisecond, and then begins anew', () => {
    const { counter, clock } = startCounter();
    assert.equal(counter.take('a', 1, 1).granted, 1);
    clock.now += minute - 1;
    assert.deepEqual(counter.take('a', 1, 1), { granted: 0, remaining: 0, millisecondsLeft: 1 });
    clock.now += 1;
    assert.deepEqual(counter.take('a', 1, 1), { granted: 1, remaining: 0, millisecondsLeft: minute });
  });

  await t.test('grants of a block what is left of it', () => {
    const { counter } = startCounter();
    assert.equal(counter.take('a', 10, 7).granted, 7);
    assert.equal(counter.take('a', 10, 7).granted, 3);
    assert.equal(counter.take('a', 10, 7).granted, 0);
  });

  await t.test('follows a limit that is changed while it lasts', () => {
    const { counter } = startCounter();
    counter.take('a', 5, 5);
    assert.deepEqual(counter.take('a', 3, 1), { granted: 0, remaining: 0, millisecondsLeft: minute });
    assert.deepEqual(counter.take('a', 8, 1), { granted: 1, remaining: 2, millisecondsLeft: minute });
  });

  await t.test('never grants more than the limit, whatever is asked when', () => {
    const step = fc.record({ id: fc.constantFrom('a', 'b', 'c'), wanted: fc.nat(20), pause: fc.nat(20_000) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.array(step, { maxLength: 200 }), (limit, steps) => {
        const { counter, clock } = startCounter();
        const granted = new Map<string, number>();
        for (const { id, wanted, pause } of steps) {
          clock.now += pause;
          const taken = counter.take(id, limit, wanted);
          const window = `${id} ${clock.now + taken.millisecondsLeft}`;
          const sum = (granted.get(window) ?? 0) + taken.granted;
          granted.set(window, sum);
          assert.ok(taken.granted <= wanted && taken.millisecondsLeft > 0);
          assert.equal(taken.remaining, limit - sum);
        }
      }),
    );
  });
});
