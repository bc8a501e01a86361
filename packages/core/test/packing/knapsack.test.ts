import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fillKnapsack, type Item, type Room, type ScarceLimit } from '../../src/packing/knapsack.ts';
import { Pace, runSteps } from '../../src/packing/steps.ts';

const ways = fc.constantFrom<readonly ScarceLimit[]>(['bytes'], ['instructions'], ['bytes', 'instructions']);
const items = fc.array(
  fc.record({
    bytes: fc.integer({ min: 3, max: 12 }),
    instructions: fc.integer({ min: 1, max: 4 }),
    value: fc.nat(20),
  }),
  { maxLength: 4 },
);
const rooms = fc.record({ bytes: fc.integer({ min: -2, max: 30 }), instructions: fc.integer({ min: -1, max: 8 }) });

const fill = (some: readonly Item[], room: Room, by: readonly ScarceLimit[]) =>
  runSteps(fillKnapsack(some, room, by, new Pace()));

/** Tries all, each item as often as there is room. */
function mostOfAll(some: readonly Item[], { bytes, instructions }: Room, by: readonly ScarceLimit[]): number {
  if (bytes < 0 || instructions < 0) return Number.NEGATIVE_INFINITY;
  const values = some.map((item) => {
    const left = {
      bytes: bytes - (by.includes('bytes') ? item.bytes : 0),
      instructions: instructions - (by.includes('instructions') ? item.instructions : 0),
    };
    return item.value + mostOfAll(some, left, by);
  });
  return Math.max(0, ...values);
}

describe('a filled knapsack', () => {
  it('is worth as much as the best of all ways to fill it, and has room for what it holds', () => {
    fc.assert(
      fc.property(items, rooms, ways, (some, room, by) => {
        const { value, chosen } = fill(some, room, by);
        assert.equal(value, Math.max(0, mostOfAll(some, room, by)));
        assert.equal(
          chosen.reduce((sum, item) => sum + item.value, 0),
          value,
        );
        for (const limit of by) {
          const taken = chosen.reduce((sum, item) => sum + item[limit], 0);
          assert.ok(chosen.length === 0 || taken <= room[limit]);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes two steps or more where it is large', () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      bytes: 40 + index,
      instructions: 1 + (index % 7),
      value: 40 + index,
    }));
    const steps = fillKnapsack(many, { bytes: 1_000, instructions: 62 }, ['bytes', 'instructions'], new Pace());
    assert.equal(steps.next().done, false);
    assert.equal(runSteps(steps).value, 1_000);
  });
});
