import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bestFill } from '../../src/packing/best-fill.ts';
import type { Kind } from '../../src/packing/weights/kinds-of-transfers.ts';
import type { WeighedTransfer } from '../../src/packing/weights/weigh-batch.ts';

/** A kind of so many transfers of one weight. */
function kindOf(index: number, weight: number, count: number): Kind {
  const one: WeighedTransfer = {
    bytes: weight,
    accounts: 0,
    instructions: 1,
    computeUnits: 0,
    index,
    creates: 0,
    memoComputeUnits: undefined,
    shared: [],
  };
  return { transfers: Array.from({ length: count }, () => one), one, alone: weight, weight };
}

const anyKinds = fc
  .array(
    fc.record({ weight: fc.integer({ min: 1, max: 9 }), count: fc.integer({ min: 1, max: 3 }), value: fc.nat(9) }),
    {
      maxLength: 5,
    },
  )
  .map((some) => ({
    kinds: some.map(({ weight, count }, index) => kindOf(index, weight, count)),
    values: some.map(({ value }) => value),
  }));

/** The most that some of each kind are worth together. */
function mostOf(kinds: readonly Kind[], room: number, values: readonly number[]): number {
  const [first, ...others] = kinds;
  if (!first) return 0;
  const worths = Array.from({ length: first.transfers.length + 1 }, (_, count) => {
    const left = room - count * first.weight;
    return left < 0 ? 0 : count * (values[first.one.index] ?? 0) + mostOf(others, left, values);
  });
  return Math.max(...worths);
}

describe('the best fill', () => {
  it('is worth as much as any choice, fits, and takes no more of a kind than there are', () => {
    fc.assert(
      fc.property(anyKinds, fc.nat(20), ({ kinds, values }, room) => {
        const { chosen } = bestFill(kinds, room, values, Number.POSITIVE_INFINITY);
        assert.equal(
          chosen.reduce((sum, { one }) => sum + (values[one.index] ?? 0), 0),
          mostOf(kinds, room, values),
        );
        assert.ok(chosen.reduce((sum, { weight }) => sum + weight, 0) <= room);
        for (const kind of kinds) assert.ok(chosen.filter((each) => each === kind).length <= kind.transfers.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the best so far after as many choices as are allowed, and says how many it took', () => {
    const kinds = [kindOf(0, 5, 3), kindOf(1, 4, 3), kindOf(2, 3, 3)];
    const values = [5.1, 4, 3];
    const few = bestFill(kinds, 14, values, 2);
    assert.deepEqual([few.chosen, few.choices], [[kinds[0], kinds[0]], 2]);
    const all = bestFill(kinds, 14, values, 1_000);
    assert.deepEqual(all.chosen, [kinds[0], kinds[0], kinds[1]]);
    assert.ok(all.choices > 2 && all.choices < 1_000);
  });
});
