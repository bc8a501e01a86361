import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fillKnapsack, type Item, type Measure, type Room, sizeBy } from '../../src/packing/knapsack.ts';
import { Pace, runSteps } from '../../src/packing/steps.ts';

const measures = fc.constantFrom<Measure>(
  { bytes: 1, instructions: 0 },
  { bytes: 0, instructions: 1 },
  { bytes: 1, instructions: 3 },
);
const items = fc.array(
  fc.record({
    bytes: fc.integer({ min: 3, max: 12 }),
    instructions: fc.integer({ min: 1, max: 4 }),
    value: fc.nat(20),
  }),
  { maxLength: 4 },
);
const rooms = fc.record({ bytes: fc.integer({ min: -2, max: 30 }), instructions: fc.integer({ min: -1, max: 8 }) });

const fill = (some: readonly Item[], room: Room, measure: Measure) =>
  runSteps(fillKnapsack(some, room, measure, new Pace()));

/** Tries all, each item as often as there is room. */
function mostOfAll(some: readonly Item[], size: number, measure: Measure): number {
  if (size < 0) return Number.NEGATIVE_INFINITY;
  return Math.max(0, ...some.map((item) => item.value + mostOfAll(some, size - sizeBy(measure, item), measure)));
}

describe('a filled knapsack', () => {
  it('is worth as much as the best of all ways to fill it, and has room for what it holds', () => {
    fc.assert(
      fc.property(items, rooms, measures, (some, room, measure) => {
        const { value, chosen, mostOfSize } = fill(some, room, measure);
        const isRoom = room.bytes >= 0 && room.instructions >= 0;
        const size = isRoom ? sizeBy(measure, room) : 0;
        assert.equal(mostOfSize.length, size + 1);
        assert.equal(value, isRoom ? mostOfAll(some, size, measure) : 0);
        assert.equal(mostOfSize.at(-1), value);
        assert.equal(
          chosen.reduce((sum, item) => sum + item.value, 0),
          value,
        );
        assert.ok(chosen.reduce((sum, item) => sum + sizeBy(measure, item), 0) <= size);
      }),
      { numRuns: 3_000 },
    );
  });

  it('says what is worth most in each smaller room, too', () => {
    fc.assert(
      fc.property(items, measures, (some, measure) => {
        const { mostOfSize } = fill(some, { bytes: 20, instructions: 5 }, measure);
        for (const [size, most] of mostOfSize.entries()) assert.equal(most, mostOfAll(some, size, measure));
      }),
      { numRuns: 100 },
    );
  });

  it('takes two steps or more where it is large', () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      bytes: 40 + index,
      instructions: 1 + (index % 7),
      value: 40 + index,
    }));
    const steps = fillKnapsack(many, { bytes: 1_000, instructions: 62 }, { bytes: 100, instructions: 1 }, new Pace());
    assert.equal(steps.next().done, false);
    assert.equal(runSteps(steps).value, 1_000);
  });
});
