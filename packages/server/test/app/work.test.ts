import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Work } from '../../src/app/work.ts';
import { isAppError } from '../../src/problems.ts';

/** Counts the turns of the event loop until it is told to stop. */
class LoopCounter {
  turn = 0;
  #next = setImmediate(() => this.#count());

  stop(): void {
    clearImmediate(this.#next);
  }

  #count(): void {
    this.turn += 1;
    this.#next = setImmediate(() => this.#count());
  }
}

/** Gives a test a clock that only its work moves, so that a busy machine does not end a turn: what passes time on it. */
function stopClock(t: TestContext): (ms: number) => void {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  return (ms) => {
    nowMs += ms;
  };
}

describe('turns of the event loop', () => {
  it('have one step each of all that wait for them, in their order', async () => {
    const counter = new LoopCounter();
    const turns: number[] = [];
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      const own = new Work();
      for (let step = 0; step < 2; step++) {
        await own.next();
        turns.push(counter.turn);
        order.push(name);
      }
    };
    await Promise.all([work('a'), work('b')]);
    counter.stop();
    assert.equal(new Set(turns).size, 4);
    assert.deepEqual(order, ['a', 'b', 'a', 'b']);
  });

  it('are not given to a client that has hung up, nor after the deadline', async () => {
    const refusals = [new Work({ isClientGone: () => true }), new Work({ deadline: performance.now() })].map((work) =>
      work.next().then(
        () => 'wanted',
        (error: unknown) => (isAppError(error) ? [error.code, error.retryAfterSeconds] : error),
      ),
    );
    assert.deepEqual(await Promise.all(refusals), [
      ['malformed_http', undefined],
      ['overloaded', 1],
    ]);
  });
});

describe('short steps', () => {
  it('share a turn until they have taken some time, and then all that wait go on in a later one', async (t) => {
    const busyFor = stopClock(t);
    const counter = new LoopCounter();
    const work = new Work();
    const turnOf = (ms: number): Promise<number> =>
      work.step(() => {
        busyFor(ms);
        return counter.turn;
      });
    const turns = await Promise.all([turnOf(0), turnOf(3), turnOf(0), turnOf(0)]);
    counter.stop();
    assert.equal(turns[0], turns[1]);
    assert.notEqual(turns[1], turns[2]);
    assert.equal(turns[2], turns[3]);
  });

  it('return what they compute, throw what they throw, and end with a client that has gone', async (t) => {
    const busyFor = stopClock(t);
    const client = { isGone: false };
    const work = new Work({ isClientGone: () => client.isGone });
    assert.equal(await work.step(() => 7), 7);
    const failing = work.step(() => {
      busyFor(3);
      throw new Error('wrong');
    });
    await assert.rejects(failing, /wrong/);
    client.isGone = true;
    await assert.rejects(
      work.step(() => 7),
      (error) => isAppError(error, 'malformed_http'),
    );
    client.isGone = false;
    assert.equal(await work.step(() => 8), 8);
  });
});

describe('the steps of a longer work', () => {
  it('share turns, each until its steps have taken some time, and end with a client that has gone', async (t) => {
    const busyFor = stopClock(t);
    const counter = new LoopCounter();
    const client = { isGone: false };
    const turns: number[] = [];
    const steps = function* () {
      for (const ms of [0, 3, 0, 3]) {
        busyFor(ms);
        turns.push(counter.turn);
        yield;
      }
      return 7;
    };
    const work = new Work({ isClientGone: () => client.isGone });
    assert.equal(await work.run(steps()), 7);
    counter.stop();
    const [first, second, third, fourth] = turns;
    assert.deepEqual([first, third], [second, fourth]);
    assert.notEqual(second, third);
    client.isGone = true;
    await assert.rejects(work.run(steps()), (error) => isAppError(error, 'malformed_http'));
    assert.equal(turns.length, 6);
  });
});
