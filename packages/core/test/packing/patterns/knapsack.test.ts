import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fillKnapsack, type Item, type Measure, type Room, sizeBy } from '../../../src/packing/patterns/knapsack.ts';
import { Pace, runSteps } from '../../../src/packing/weights/steps.ts';
import { isWithin, limits, nothing, ofEachLimit } from '../../../src/packing/weights/weigh-batch.ts';

const measures = fc.constantFrom<Measure>(
  { ...nothing, bytes: 1 },
  { ...nothing, instructions: 1 },
  { ...nothing, computeUnits: 0.01 },
  { bytes: 1, accounts: 2, instructions: 3, computeUnits: 0.015 },
);
const items = fc.array(
  fc.record({
    bytes: fc.integer({ min: 3, max: 12 }),
    accounts: fc.nat(2),
    instructions: fc.integer({ min: 1, max: 4 }),
    computeUnits: fc.integer({ min: 300, max: 900 }),
    value: fc.integer({ min: 1, max: 20 }),
  }),
  { maxLength: 4 },
);
const rooms = fc.record({
  bytes: fc.integer({ min: -2, max: 30 }),
  accounts: fc.integer({ min: -1, max: 9 }),
  instructions: fc.integer({ min: -1, max: 8 }),
  computeUnits: fc.integer({ min: -100, max: 3_000 }),
});

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
        const isRoom = limits.every((limit) => room[limit] >= 0);
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
        const { mostOfSize } = fill(some, { bytes: 20, accounts: 5, instructions: 5, computeUnits: 2_000 }, measure);
        for (const [size, most] of mostOfSize.entries()) assert.equal(most, mostOfAll(some, size, measure));
      }),
      { numRuns: 100 },
    );
  });

  it('has room for all that fits by every limit', () => {
    fc.assert(
      fc.property(items, rooms, measures, (some, room, measure) => {
        let left = room;
        let size = 0;
        for (const item of some) {
          if (!isWithin(item, left)) continue;
          left = ofEachLimit((limit) => left[limit] - item[limit]);
          size += sizeBy(measure, item);
        }
        if (isWithin(nothing, room)) assert.ok(size <= sizeBy(measure, room));
      }),
      { numRuns: 1_000 },
    );
  });

  it('has no end of an item that takes nothing by its measure', () => {
    const item = { ...nothing, bytes: 5, value: 1 };
    const room = { bytes: 20, accounts: 5, instructions: 5, computeUnits: 2_000 };
    const { value, chosen, mostOfSize } = fill([item], room, { ...nothing, accounts: 1 });
    assert.deepEqual([value, chosen], [Number.POSITIVE_INFINITY, []]);
    assert.deepEqual([...mostOfSize], Array(6).fill(Number.POSITIVE_INFINITY));
  });

  it('takes two steps or more where it is large', () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...nothing,
      bytes: 40 + index,
      instructions: 1 + (index % 7),
      value: 40 + index,
    }));
    const steps = fillKnapsack(
      many,
      { ...nothing, bytes: 1_000, instructions: 62 },
      { ...nothing, bytes: 100, instructions: 1 },
      new Pace(),
    );
    assert.equal(steps.next().done, false);
    assert.equal(runSteps(steps).value, 1_000);
  });
});
