import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sizeBy } from '../../../src/packing/patterns/knapsack.ts';
import { measuresOf } from '../../../src/packing/patterns/measures.ts';
import { capacityOf } from '../../../src/packing/weights/least-parts.ts';
import { limits, nothing, ofEachLimit } from '../../../src/packing/weights/weigh-batch.ts';
import { anyPaidAgain, plain, weigh } from '../weighed-kinds.ts';

describe('the measures of a batch', () => {
  it('are one where one limit alone is scarce', () => {
    const { batch, fewest } = weigh(
      Array.from({ length: 40 }, (_, index) => ({ ...plain(index, true), memo: 'm'.repeat(250) })),
    );
    assert.deepEqual(measuresOf(batch, fewest), [{ ...nothing, bytes: 1 }]);
  });

  it('are one of each scarce limit, and one of all of these together', () => {
    const { batch, fewest } = weigh(Array.from({ length: 40 }, (_, index) => plain(index, false)));
    const totals = { bytes: 4, accounts: 1, instructions: 5, computeUnits: 3 };
    const [bytes, instructions, computeUnits, all, ...others] = measuresOf(batch, {
      ...fewest,
      totals,
      scarcest: 'instructions',
    });
    assert.deepEqual(
      [bytes, instructions],
      [
        { ...nothing, bytes: 1 },
        { ...nothing, instructions: 1 },
      ],
    );
    assert.ok(computeUnits && computeUnits.computeUnits > 0);
    assert.deepEqual({ ...computeUnits, computeUnits: 0 }, nothing);
    assert.deepEqual([all?.bytes, all?.accounts], [1, 0]);
    assert.ok(all && all.instructions >= 1 && all.computeUnits > 0);
    assert.deepEqual(others, []);
  });

  it('leave tables of what is worth most short', () => {
    fc.assert(
      fc.property(anyPaidAgain, ({ batch, fewest }) => {
        const room = ofEachLimit((limit) => capacityOf(batch, limit));
        for (const measure of measuresOf(batch, fewest)) {
          const size = sizeBy(measure, room);
          assert.ok(size > 10 && size < limits.length * 1_500, `${size}`);
        }
      }),
      { numRuns: 200 },
    );
  });
});
