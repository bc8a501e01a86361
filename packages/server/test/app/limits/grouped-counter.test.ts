import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { GroupedCounter } from '../../../src/app/limits/grouped-counter.ts';
import { counterOptions } from '../../../src/app/limits/rate-limiter.ts';

/** A counter in memory that writes down what it is asked to count. */
function recordingCounter() {
  const memory = new RateLimiterMemory(counterOptions);
  const asked: [string, number][] = [];
  const consume = (id: string, requests = 1) => {
    asked.push([id, requests]);
    return memory.consume(id, requests);
  };
  return { asked, consume };
}

test('The requests of a key in one turn are counted by one message, those of the next turn by another', async () => {
  const counter = recordingCounter();
  const grouped = new GroupedCounter(counter);
  await Promise.all([grouped.consume('a'), grouped.consume('b'), grouped.consume('a', 20), grouped.consume('a')]);
  assert.deepEqual(counter.asked, [
    ['a', 22],
    ['b', 1],
  ]);
  await grouped.consume('a');
  assert.deepEqual(counter.asked.at(-1), ['a', 1]);
});

test('Those that arrive while a message is under way do not wait for its answer', async () => {
  const answers: (() => void)[] = [];
  const grouped = new GroupedCounter({
    consume: (_id, requests = 1) =>
      new Promise((resolve) => {
        answers.push(() => resolve({ consumedPoints: requests, msBeforeNext: 1 }));
      }),
  });
  const first = grouped.consume('a');
  await new Promise(setImmediate);
  const second = grouped.consume('a');
  await new Promise(setImmediate);
  assert.equal(answers.length, 2);
  for (const answer of answers) answer();
  await Promise.all([first, second]);
});

test('A counter that fails fails for each request that it counts', async () => {
  const grouped = new GroupedCounter({ consume: () => Promise.reject(new Error('lost')) });
  const counts = await Promise.allSettled([grouped.consume('a'), grouped.consume('a')]);
  assert.deepEqual(
    counts.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});

test('Each request is told the count that it has when all are counted one after another', async () => {
  const turn = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 30 })));
  const countsOf = (counts: readonly { consumedPoints: number }[]) =>
    counts.map(({ consumedPoints }) => consumedPoints);
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 4 }), async (turns) => {
      const grouped = new GroupedCounter(recordingCounter());
      const single = recordingCounter();
      for (const requests of turns) {
        const told = await Promise.all(requests.map(([id, cost]) => grouped.consume(id, cost)));
        const expected = await Promise.all(requests.map(([id, cost]) => single.consume(id, cost)));
        assert.deepEqual(countsOf(told), countsOf(expected));
      }
    }),
  );
});
