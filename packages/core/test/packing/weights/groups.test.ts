import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asOne, type Groups, groupsOf, withShares } from '../../../src/packing/weights/groups.ts';
import { Pace, runSteps } from '../../../src/packing/weights/steps.ts';
import { limits, type WeighedBatch } from '../../../src/packing/weights/weigh-batch.ts';
import { anyPaidAgain, plain, weigh, weightOf } from '../weighed-kinds.ts';

const groupsIn = (batch: WeighedBatch): Groups => runSteps(groupsOf(batch, new Pace()));

describe('groups of transfers', () => {
  const others = Array.from({ length: 32 }, (_, index) => plain(100 + index, false));

  it('have every transfer once, with all that it shares something with that few need, and nobody else', () => {
    fc.assert(
      fc.property(anyPaidAgain, ({ batch }) => {
        const { membersOf, groups } = groupsIn(batch);
        const groupOf = new Map(groups.flatMap((group) => group.map((each) => [each, group] as const)));
        assert.equal(groups.flat().length, batch.transfers.length);
        assert.equal(groupOf.size, batch.transfers.length);
        for (const members of membersOf) assert.ok(new Set(members?.map((each) => groupOf.get(each))).size <= 1);
        for (const group of groups) {
          for (const each of group.slice(1)) {
            assert.ok(each.shared.some((part) => (membersOf[part]?.length ?? 0) > 1));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are of those to one recipient, and of those that one of these shares a reference with', () => {
    const reference = { references: [90_000] };
    const { batch } = weigh([
      plain(0, false),
      { ...plain(0, false), ...reference },
      { ...plain(1, false), ...reference },
      ...others,
    ]);
    const indices = groupsIn(batch).groups.map((group) => group.map(({ index }) => index));
    assert.deepEqual(indices[0], [0, 1, 2]);
    assert.equal(indices.length, 1 + others.length);
  });

  it('weigh as one what some of their transfers do', () => {
    fc.assert(
      fc.property(anyPaidAgain, fc.nat(2 ** 24 - 1), ({ batch }, chosen) => {
        const { membersOf, groups } = groupsIn(batch);
        for (const group of groups) {
          const some = group.filter(({ index }) => (chosen >> index) & 1);
          if (some.length > 0)
            assert.deepEqual(weightOf(batch, [asOne(batch, some, membersOf)]), weightOf(batch, some));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a share of what few need', () => {
  it('belongs to the transfer, and all shares are the whole', () => {
    const others = Array.from({ length: 32 }, (_, index) => plain(100 + index, false));
    const { batch } = weigh([plain(0, false), plain(0, false), ...others]);
    const { membersOf } = groupsIn(batch);
    const [one, two, other] = batch.transfers.map((each) => withShares(batch, each, membersOf));
    assert.ok(one && two && other);
    assert.deepEqual([one.shared, two.shared], [other.shared, other.shared]);
    assert.equal(one.bytes + two.bytes, other.bytes + (batch.transfers[0]?.bytes ?? 0));
    assert.equal(one.instructions + two.instructions, other.instructions + 1);
  });

  it('takes no more of a transaction than the whole, whichever transfers are in there, and as much in all together', () => {
    fc.assert(
      fc.property(anyPaidAgain, fc.nat(2 ** 24 - 1), ({ batch }, chosen) => {
        const { membersOf } = groupsIn(batch);
        const shares = batch.transfers.map((each) => withShares(batch, each, membersOf));
        const some = batch.transfers.filter(({ index }) => (chosen >> index) & 1);
        const whole = weightOf(batch, some);
        const part = weightOf(
          batch,
          some.flatMap(({ index }) => shares[index] ?? []),
        );
        for (const limit of limits) assert.ok(part[limit] <= whole[limit]);
        assert.deepEqual(weightOf(batch, shares), weightOf(batch, batch.transfers));
      }),
      { numRuns: 500 },
    );
  });
});
