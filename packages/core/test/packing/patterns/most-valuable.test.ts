import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { measuresOf } from '../../../src/packing/patterns/measures.ts';
import { type MostValuable, mostValuable } from '../../../src/packing/patterns/most-valuable.ts';
import { partSetsOf } from '../../../src/packing/patterns/part-sets.ts';
import { Pace, runSteps } from '../../../src/packing/weights/steps.ts';
import { TransactionLoad } from '../../../src/packing/weights/transaction-load.ts';
import { anyFew, plain, type Weighed, weigh } from '../weighed-kinds.ts';

const valuable = (
  { batch, choices, fewest }: Weighed,
  values: readonly number[],
  { enough = Number.POSITIVE_INFINITY, maxSums = Number.POSITIVE_INFINITY } = {},
): MostValuable => {
  const sets = runSteps(partSetsOf(batch, choices, new Pace()));
  assert.ok(sets);
  const measures = measuresOf(batch, fewest);
  const search = { measures, firstSet: 0, isEnough: (value: number) => value > enough, maxSums };
  return runSteps(mostValuable(batch, choices, sets, Float64Array.from(values), search, new Pace()));
};

describe('the most valuable transaction', () => {
  const four = weigh([plain(0, true), plain(1, true), plain(2, false), plain(3, false)]);

  it('has the one kind or the other that is worth most, as often as there is room', () => {
    const first = valuable(four, [1, 0]);
    const second = valuable(four, [0, 1]);
    assert.deepEqual([first.pattern.kinds, second.pattern.kinds], [[0], [1]]);
    assert.deepEqual([first.pattern.counts, second.pattern.counts], [[first.value], [second.value]]);
    assert.deepEqual([first.limit, second.limit], [first.value, second.value]);
    assert.ok(second.value > first.value, 'the second kind creates nothing');
  });

  it('is not looked for any further among many sets of parts where one is worth enough', () => {
    const some = [0, 1, 2].map((reference) => ({ ...plain(reference, false), references: [90_000 + reference] }));
    const weighed = weigh([...some, ...some.map((each) => ({ ...each, recipient: 3 + each.recipient }))]);
    const ones = weighed.kinds.map(() => 1);
    const { value, limit, set, sums } = valuable(weighed, ones, { enough: 1 });
    assert.ok(value > 1);
    assert.equal(limit, undefined);
    assert.equal(set, 0);
    const all = valuable(weighed, ones);
    assert.notEqual(all.limit, undefined);
    assert.ok(sums > 0 && 2 * sums < all.sums, `${sums} of ${all.sums}`);
  });

  it('is worth less than the limit, as any transaction of a few transfers is', () => {
    const worths = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(anyFew, worths, fc.constantFrom(0, Number.POSITIVE_INFINITY), (transfers, worthOf, maxSums) => {
        const weighed = weigh(transfers);
        const { batch, kinds } = weighed;
        const { limit = 0, value } = valuable(weighed, worthOf.slice(0, kinds.length), { maxSums });
        assert.ok(value <= limit + 1e-6, `${value} of ${limit}`);
        const kindOf = new Map(kinds.flatMap(({ transfers: some }, kind) => some.map((each) => [each, kind])));
        for (let chosen = 1; chosen < 1 << batch.transfers.length; chosen++) {
          const some = batch.transfers.filter((_, index) => (chosen >> index) & 1);
          const load = new TransactionLoad(batch);
          if (!some.every((each) => load.add(each))) continue;
          const worth = some.reduce((sum, each) => sum + (worthOf[kindOf.get(each) ?? -1] ?? 0), 0);
          assert.ok(worth <= limit + 1e-6, `${worth} is above ${limit}`);
        }
      }),
      { numRuns: 200 },
    );
  });
});
