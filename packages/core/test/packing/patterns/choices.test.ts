import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { boundOfGroups, manyKinds } from '../../../src/packing/pack-by-patterns.ts';
import { type Choice, type ChoicesOfBatch, choicesOfGroups } from '../../../src/packing/patterns/choices.ts';
import { asOne, groupsOf } from '../../../src/packing/weights/groups.ts';
import type { TransactionFrame } from '../../../src/packing/weights/parcel.ts';
import { Pace, runSteps } from '../../../src/packing/weights/steps.ts';
import { TransactionLoad } from '../../../src/packing/weights/transaction-load.ts';
import { limits, type WeighedBatch, type WeighedTransfer } from '../../../src/packing/weights/weigh-batch.ts';
import { anyTransfer } from '../../batch/random-batches.ts';
import { fewestOfAll } from '../fewest-of-all.ts';
import { anyPaidAgain, plain, type Weighed, weigh, weightOf } from '../weighed-kinds.ts';

const choicesIn = ({ batch, fewest }: Weighed, maxKinds = 180): ChoicesOfBatch | undefined =>
  runSteps(choicesOfGroups(batch, fewest.scarcest, maxKinds, new Pace()));
const others = Array.from({ length: 32 }, (_, index) => plain(100 + index, false));

/** What a transaction of some transfers is made of. */
function choicesFor(
  batch: WeighedBatch,
  { kinds, choices }: ChoicesOfBatch,
  transfers: readonly WeighedTransfer[],
): readonly Choice[] {
  const kindOf = new Map(kinds.flatMap(({ transfers: some }, kind) => some.map(({ index }) => [index, kind] as const)));
  const { groups, membersOf } = runSteps(groupsOf(batch, new Pace()));
  return groups.flatMap((group) => {
    const some = group.filter((each) => transfers.includes(each));
    const ofSome = some.map(({ index }) => kindOf.get(index) ?? -1);
    if (some.length < 2 || group.length > 4) return ofSome.flatMap((kind) => choices[kind] ?? []);
    const one = asOne(batch, some, membersOf);
    const choice = choices.find((each) => isDeepStrictEqual(each, { one, kinds: ofSome }));
    assert.ok(choice);
    return [choice];
  });
}

describe('the choices of a batch', () => {
  it('are each kind alone, and all of a small group that may be together', () => {
    const found = choicesIn(weigh([plain(0, false), plain(0, false), plain(1, true), plain(0, false), ...others]));
    assert.ok(found);
    const ofSeveral = found.choices.slice(found.kinds.length).map(({ kinds }) => kinds);
    const [kind] = ofSeveral[0] ?? [];
    assert.deepEqual(ofSeveral, [
      [kind, kind],
      [kind, kind],
      [kind, kind],
      [kind, kind, kind],
    ]);
    assert.deepEqual(
      found.choices.slice(0, found.kinds.length).map(({ kinds }) => kinds),
      found.kinds.map((_, each) => [each]),
    );
  });

  it('are one transfer each of a group of more than four, with its share of what they have in common', () => {
    const found = choicesIn(weigh([...Array.from({ length: 5 }, () => plain(0, false)), ...others]));
    assert.ok(found);
    assert.equal(found.choices.length, found.kinds.length);
    const counts = found.kinds.map(({ transfers }) => transfers.length);
    // The shares are whole numbers.
    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      [1, 1, 3, 32],
    );
  });

  it('make every transaction, of which they take no more than its transfers do', () => {
    fc.assert(
      fc.property(anyPaidAgain, fc.nat(2 ** 24 - 1), fc.constantFrom(8, 180), (weighed, chosen, maxKinds) => {
        const { batch } = weighed;
        const found = choicesIn(weighed, maxKinds);
        if (!found) return;
        const some = batch.transfers.filter(({ index }) => (chosen >> index) & 1);
        const ones = choicesFor(batch, found, some).map(({ one }) => one);
        const [least, whole] = [weightOf(batch, ones), weightOf(batch, some)];
        for (const limit of limits) assert.ok(least[limit] <= whole[limit], limit);
      }),
      { numRuns: 500 },
    );
  });

  it('are not made where there are too many kinds of them', () => {
    assert.equal(choicesIn(weigh([plain(0, false), plain(0, false), ...others]), 1), undefined);
  });
});

describe('the bound of groups', () => {
  const anyFewPaidAgain = fc
    .tuple(
      fc.array(anyTransfer(3), { minLength: 1, maxLength: 7 }),
      fc.boolean(),
      fc.constantFrom<TransactionFrame['version'][]>('legacy', 0),
    )
    .map(([transfers, isHooked, version]) => weigh([...transfers, ...hardly], { isHooked, version }));
  // So that what two share is what few need.
  const hardly = [0, 1].map((recipient) => plain(50 + recipient, true));

  it('is one that no division of a few transfers is below', () => {
    let count = 0;
    fc.assert(
      fc.property(anyFewPaidAgain, (weighed) => {
        const { batch, fewest, parcels, frame } = weighed;
        if (!batch.transfers.every((each) => new TransactionLoad(batch).add(each))) return;
        const bound = runSteps(boundOfGroups(batch, fewest, manyKinds, new Pace()));
        assert.ok(bound <= fewestOfAll(parcels, frame));
        if (runSteps(groupsOf(batch, new Pace())).groups.length < batch.transfers.length && bound > 1) count++;
      }),
      { numRuns: 500 },
    );
    assert.ok(count > 30, `${count} with groups`);
  });

  it('is more than the sizes of the transfers say, where two to one recipient leave no room for others', () => {
    const pairs = Array.from({ length: 100 }, (_, index) => ({ ...plain(index % 50, false), memo: 'm'.repeat(240) }));
    const { batch, fewest } = weigh(pairs);
    assert.equal(runSteps(boundOfGroups(batch, fewest, manyKinds, new Pace())), 50);
    assert.ok(fewest.count < 50, `${fewest.count}`);
  });
});
