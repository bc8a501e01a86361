import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fillKnapsack, type Item, type Room } from '../../../src/packing/patterns/knapsack.ts';
import { maxLooks, type Searched, searchRoom } from '../../../src/packing/patterns/search-room.ts';
import { Pace, runSteps } from '../../../src/packing/weights/steps.ts';
import { isWithin, limits, nothing, ofEachLimit } from '../../../src/packing/weights/weigh-batch.ts';

const items = fc.array(
  fc.record({
    bytes: fc.integer({ min: 3, max: 12 }),
    accounts: fc.nat(2),
    instructions: fc.integer({ min: 1, max: 4 }),
    computeUnits: fc.integer({ min: 300, max: 900 }),
    value: fc.nat(20),
  }),
  { maxLength: 5 },
);
const rooms = fc.record({
  bytes: fc.integer({ min: 1, max: 32 }),
  accounts: fc.nat(9),
  instructions: fc.integer({ min: 1, max: 9 }),
  computeUnits: fc.nat(3_000),
});
const measures = [
  { ...nothing, bytes: 1 },
  { ...nothing, instructions: 1 },
  { ...nothing, computeUnits: 0.01 },
  { bytes: 1, accounts: 3, instructions: 4, computeUnits: 0.015 },
];

function search(some: readonly Item[], room: Room, known: number): Searched<Item> {
  const filled = measures.map((measure) => runSteps(fillKnapsack(some, room, measure, new Pace())));
  return searchRoom(some, room, filled, known);
}

/** Tries all, each item as often as there is room. */
function mostOfAll(some: readonly Item[], room: Room): number {
  const values = some
    .filter((item) => isWithin(item, room))
    .map(
      (item) =>
        item.value +
        mostOfAll(
          some,
          ofEachLimit((limit) => room[limit] - item[limit]),
        ),
    );
  return Math.max(0, ...values);
}

describe('a room that is searched by all limits', () => {
  it('holds what is worth most of all that fits, where that is worth more than what was known', () => {
    fc.assert(
      fc.property(items, rooms, fc.nat(60), (some, room, known) => {
        const { chosen, value, isMost } = search(some, room, known);
        const most = mostOfAll(some, room);
        assert.equal(isMost, true);
        assert.equal(value, Math.max(known, most));
        const worth = chosen.reduce((sum, item) => sum + item.value, 0);
        assert.equal(worth, most > known ? most : 0);
        for (const limit of limits) {
          assert.ok(chosen.reduce((sum, item) => sum + item[limit], 0) <= room[limit]);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('is given up after so many looks, and says so', () => {
    // A bound that promises too much leaves nothing out.
    const many = Array.from({ length: 150 }, (_, index) => ({
      ...nothing,
      bytes: 301 + 2 * index,
      instructions: 20 + ((index * 7) % 40),
      value: 1_000 + 7 * index + ((index * 13) % 11),
    }));
    const anything = {
      value: 1e9,
      chosen: [],
      measure: nothing,
      mostOfSize: Float64Array.of(1e9),
      sums: 0,
    };
    const { isMost, looks, chosen } = searchRoom(many, { ...nothing, bytes: 6_000, instructions: 300 }, [anything], 0);
    assert.equal(isMost, false);
    assert.equal(looks, maxLooks);
    assert.ok(chosen.length > 0);
  });
});
