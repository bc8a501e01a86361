import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextTurn } from '../../src/service/next-turn.ts';

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
});
