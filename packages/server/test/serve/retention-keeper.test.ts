import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { RetentionKeeper, type RetentionTask } from '../../src/serve/retention.ts';

const minute = 60_000;
const start = Date.parse('2026-11-22T12:00:00.000Z');

/** A keeper of some tasks, at a clock that stands still until it is moved. */
async function startKeeper(t: TestContext, tasks: readonly RetentionTask[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { now: start };
  const told: string[] = [];
  const keeper = new RetentionKeeper({
    tasks,
    now: () => clock.now,
    onFailure: (error) => told.push(String(error)),
  });
  t.after(() => keeper.close());
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  const wait = async (durationMs: number): Promise<void> => {
    for (let waited = 0; waited < durationMs; waited += 50) {
      clock.now += 50;
      t.mock.timers.tick(50);
      await settle();
    }
  };
  return { keeper, clock, told, wait };
}

/** A task with so many steps to do. */
function taskOf(left: number) {
  const task = {
    left,
    steps: [] as number[],
    error: undefined as Error | undefined,
    gate: Promise.resolve(),
    async step(now: number): Promise<boolean> {
      task.steps.push(now);
      await task.gate;
      if (task.error) throw task.error;
      task.left = Math.max(0, task.left - 1);
      return task.left === 0;
    },
  };
  return task;
}

describe('the deletion of what was kept for long enough', () => {
  it('begins when a service starts, and comes back a minute after it has ended', async (t) => {
    const [first, second] = [taskOf(0), taskOf(0)];
    const { wait } = await startKeeper(t, [first, second]);
    assert.deepEqual([first.steps, second.steps], [[start], [start]]);
    await wait(minute - 50);
    assert.equal(first.steps.length, 1);
    await wait(50);
    assert.equal(first.steps.length, 2);
    await wait(10 * minute);
    assert.deepEqual([first.steps.length, second.steps.length], [12, 12]);
  });

  it('leaves a task that has too much to do for the next run, so that the others have theirs', async (t) => {
    const [endless, other] = [taskOf(1_000_000), taskOf(0)];
    const { wait } = await startKeeper(t, [endless, other]);
    await wait(500 * 50 + 50);
    assert.deepEqual([endless.steps.length, other.steps.length], [500, 1]);
  });

  it('reports a database that does not answer once, tries again a minute later, and does the other tasks', async (t) => {
    const [task, other] = [taskOf(10), taskOf(0)];
    task.error = new Error('connection refused');
    const { told, wait } = await startKeeper(t, [task, other]);
    await wait(2 * minute);
    assert.deepEqual([told, other.steps.length], [['Error: connection refused'], 3]);
    task.error = undefined;
    task.left = 0;
    await wait(minute);
    task.error = new Error('again');
    await wait(minute);
    assert.deepEqual(told, ['Error: connection refused', 'Error: again']);
  });

  it('ends with the service, after the step under way', async (t) => {
    const gate = Promise.withResolvers<void>();
    const task = taskOf(10);
    const { keeper, wait } = await startKeeper(t, [task]);
    task.gate = gate.promise;
    await wait(50);
    let isClosed = false;
    const closing = keeper.close().then(() => {
      isClosed = true;
    });
    await wait(minute);
    assert.equal(isClosed, false);
    gate.resolve();
    await closing;
    await wait(2 * minute);
    assert.equal(task.steps.length, 2);
  });
});
