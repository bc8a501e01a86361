import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bestFill, type Item } from '../../src/packing/transfers-left.ts';

const anyItems = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 9 }), value: fc.nat(9), count: fc.integer({ min: 1, max: 3 }) }),
  { maxLength: 5 },
);

/** The most that some of the items are worth together. */
function mostOf(items: readonly Item[], room: number): number {
  const [first, ...others] = items;
  if (!first) return 0;
  const worths = Array.from({ length: first.count + 1 }, (_, count) => {
    const left = room - count * first.size;
    return left < 0 ? 0 : count * first.value + mostOf(others, left);
  });
  return Math.max(...worths);
}

describe('the best fill', () => {
  it('is worth as much as any choice, fits, and takes no more of an item than there is', () => {
    fc.assert(
      fc.property(anyItems, fc.nat(20), (items, room) => {
        const { chosen } = bestFill(items, room, Number.POSITIVE_INFINITY);
        assert.equal(
          chosen.reduce((sum, { value }) => sum + value, 0),
          mostOf(items, room),
        );
        assert.ok(chosen.reduce((sum, { size }) => sum + size, 0) <= room);
        for (const item of items) assert.ok(chosen.filter((each) => each === item).length <= item.count);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the best so far after as many choices as are allowed, and says how many it took', () => {
    const items = [
      { size: 3, value: 3, count: 3 },
      { size: 5, value: 5.1, count: 3 },
      { size: 4, value: 4, count: 3 },
    ];
    const few = bestFill(items, 14, 2);
    assert.deepEqual([few.chosen, few.choices], [[items[1], items[1]], 2]);
    const all = bestFill(items, 14, 1_000);
    assert.deepEqual(all.chosen, [items[1], items[1], items[2]]);
    assert.ok(all.choices > 2 && all.choices < 1_000);
  });
});
