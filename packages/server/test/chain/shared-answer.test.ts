import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DeadlineWatch, SharedAnswer } from '../../src/chain/shared-answer.ts';
import { AppError, isAppError } from '../../src/problems.ts';

const tickMs = 20;
const isTooSlow = (error: unknown): boolean => isAppError(error, 'upstream_timeout');

/** A watch whose timers run when the test lets time pass, and how often it has looked at its clock. */
function startWatch(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = { now: 0, looks: 0 };
  const watch = new DeadlineWatch(() => {
    clock.looks += 1;
    return clock.now;
  });
  const pass = (durationMs: number): void => {
    clock.now += durationMs;
    t.mock.timers.tick(durationMs);
  };
  return { watch, clock, pass };
}

/** Waits for an answer, and says what came of it so far. */
function waitFor(answer: SharedAnswer<string>, deadline: number) {
  const outcome: { text?: string; error?: unknown } = {};
  const ended = answer
    .wait(deadline, (text) => `${text}!`)
    .then(
      (text) => {
        outcome.text = text;
      },
      (error: unknown) => {
        outcome.error = error;
      },
    );
  return { outcome, ended };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('A request fails within 20 ms after its deadline, and the others still wait', async (t) => {
  const { watch, pass } = startWatch(t);
  const answer = new SharedAnswer<string>(watch);
  const [first, second, third] = [waitFor(answer, 15), waitFor(answer, 20), waitFor(answer, 21)];
  pass(tickMs);
  await turn();
  assert.ok(isTooSlow(first.outcome.error) && isTooSlow(second.outcome.error));
  assert.deepEqual([third.outcome, answer.waiting], [{}, 1]);
  pass(tickMs);
  await third.ended;
  assert.ok(isTooSlow(third.outcome.error));
});

test('A request that comes past its deadline waits for nothing', async (t) => {
  const { watch, pass } = startWatch(t);
  pass(10);
  const answer = new SharedAnswer<string>(watch);
  const { outcome, ended } = waitFor(answer, 10);
  assert.equal(answer.waiting, 0);
  await ended;
  assert.ok(isTooSlow(outcome.error));
});

test('Every request gets the answer or the error, and none is left waiting', async (t) => {
  const { watch } = startWatch(t);
  const answer = new SharedAnswer<string>(watch);
  const waiters = [waitFor(answer, 100), waitFor(answer, 50)];
  assert.deepEqual([answer.waiting, answer.latestDeadline], [2, 100]);
  answer.resolve('yes');
  await Promise.all(waiters.map(({ ended }) => ended));
  assert.deepEqual([waiters.map(({ outcome }) => outcome.text), answer.waiting], [['yes!', 'yes!'], 0]);

  const failing = new SharedAnswer<string>(watch);
  const waiter = waitFor(failing, 100);
  const error = new AppError('upstream_error', 'no');
  failing.reject(error);
  await waiter.ended;
  assert.equal(waiter.outcome.error, error);
});

test('The clock is read only while a request waits', async (t) => {
  const { watch, clock, pass } = startWatch(t);
  const answer = new SharedAnswer<string>(watch);
  const other = new SharedAnswer<string>(watch);
  pass(tickMs);
  pass(tickMs);
  assert.equal(clock.looks, 2);
  answer.resolve('');
  pass(tickMs);
  assert.equal(clock.looks, 3, 'the other one is still watched');
  other.reject(undefined);
  pass(tickMs);
  assert.equal(clock.looks, 4);
  for (let count = 0; count < 5; count++) pass(tickMs);
  assert.equal(clock.looks, 4);

  const late = waitFor(new SharedAnswer<string>(watch), clock.now + 1);
  pass(tickMs);
  await late.ended;
  assert.ok(isTooSlow(late.outcome.error), 'it is looked at again for the next one');
});
