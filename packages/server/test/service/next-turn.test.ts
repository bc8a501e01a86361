import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Steps } from '../../../core/src/packing/steps.ts';
import { inTurns, nextTurn } from '../../src/service/next-turn.ts';

describe('turns of the event loop', () => {
  it('are taken by one at a time, in order, each in a turn of its own', async () => {
    let turn = 0;
    const countTurns = (): void => {
      turn += 1;
      counting = setImmediate(countTurns);
    };
    let counting = setImmediate(countTurns);
    const parts: { name: string; turn: number }[] = [];
    const work = async (name: string): Promise<void> => {
      for (const part of [1, 2]) {
        await nextTurn();
        parts.push({ name: `${name}${part}`, turn });
      }
    };
    await Promise.all([work('a'), work('b')]);
    clearImmediate(counting);
    assert.deepEqual(
      parts.map(({ name }) => name),
      ['a1', 'b1', 'a2', 'b2'],
    );
    assert.equal(new Set(parts.map((part) => part.turn)).size, parts.length);
  });

  it('have one step each of the computations that wait for them, which take them in rotation', async () => {
    let turn = 0;
    const countTurns = (): void => {
      turn += 1;
      counting = setImmediate(countTurns);
    };
    let counting = setImmediate(countTurns);
    const done: { name: string; turn: number }[] = [];
    function* work(name: string): Steps<string> {
      for (const step of [1, 2, 3]) {
        done.push({ name: `${name}${step}`, turn });
        if (step < 3) yield;
      }
      return name;
    }
    const results = await Promise.all([inTurns(work('a')), inTurns(work('b'))]);
    clearImmediate(counting);
    assert.deepEqual(results, ['a', 'b']);
    assert.deepEqual(
      done.map(({ name }) => name),
      ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'],
    );
    assert.equal(new Set(done.map((step) => step.turn)).size, done.length);
  });

  it('come after what else has arrived, for a millisecond, and at once where nothing has', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    // How many turns pass until a step has its own, when each of them takes so long.
    const turnsUntilStep = async (turnMs: number): Promise<number> => {
      let turns = 0;
      const countTurns = (): void => {
        turns += 1;
        now += turnMs;
        counting = setImmediate(countTurns);
      };
      let counting = setImmediate(countTurns);
      await nextTurn();
      clearImmediate(counting);
      return turns;
    };
    assert.equal(await turnsUntilStep(0.01), 2);
    assert.equal(await turnsUntilStep(0.3), 5);
    assert.equal(await turnsUntilStep(5), 2);
  });

  it('are over for a computation that throws, and go on for the others', async () => {
    function* fail(): Steps<never> {
      yield;
      throw new RangeError('no result');
    }
    const failed = assert.rejects(inTurns(fail()), new RangeError('no result'));
    await Promise.all([failed, nextTurn(), nextTurn()]);
  });
});
