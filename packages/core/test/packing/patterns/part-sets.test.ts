import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { computeBudgetProgram } from '../../../src/addresses/programs.ts';
import { choicesOf } from '../../../src/packing/patterns/choices.ts';
import { type PartSet, partSetsOf } from '../../../src/packing/patterns/part-sets.ts';
import { kindsOf } from '../../../src/packing/weights/kinds-of-transfers.ts';
import type { Parcel, TransactionFrame } from '../../../src/packing/weights/parcel.ts';
import { Pace, runSteps } from '../../../src/packing/weights/steps.ts';
import { TransactionLoad } from '../../../src/packing/weights/transaction-load.ts';
import {
  type Limit,
  limits,
  type WeighedBatch,
  type WeighedTransfer,
  weighBatch,
} from '../../../src/packing/weights/weigh-batch.ts';
import { addressAt } from '../../batch/random-batches.ts';
import { frame, parcelTo } from '../plain-parcels.ts';

interface Sets {
  batch: WeighedBatch;
  sets: readonly PartSet[] | undefined;
  kindOf: ReadonlyMap<WeighedTransfer, number>;
}

function setsOf(parcels: readonly Parcel[], changed: Partial<TransactionFrame> = {}): Sets {
  const batch = runSteps(weighBatch(parcels, { ...frame, ...changed }, new Pace()));
  const kinds = runSteps(kindsOf(batch, 'bytes', new Pace()));
  const kindOf = new Map(kinds.flatMap(({ transfers }, kind) => transfers.map((each) => [each, kind] as const)));
  return { batch, sets: runSteps(partSetsOf(batch, choicesOf(kinds), new Pace())), kindOf };
}

const anyParcel = fc
  .record({
    recipient: fc.nat(3),
    createsTokenAccount: fc.boolean(),
    memoByteLength: fc.constantFrom(undefined, undefined, 5),
    reference: fc.constantFrom(undefined, 1, 2),
  })
  .map(({ recipient, reference, ...parts }) =>
    parcelTo(recipient, { ...parts, furtherAccounts: reference === undefined ? [] : [addressAt(50 + reference)] }),
  );
const anyFew = fc.array(anyParcel, { minLength: 1, maxLength: 6 });
const anyFrame = fc.record({
  version: fc.constantFrom<TransactionFrame['version'][]>('legacy', 0, 1),
  isHooked: fc.boolean(),
  hasRoomForLimit: fc.boolean(),
  paysPriorityFee: fc.boolean(),
});

const sum = (some: readonly WeighedTransfer[], limit: Limit): number =>
  some.reduce((total, each) => total + each[limit], 0);

describe('the sets of shared parts', () => {
  it('have room for every transaction of several transfers: one set for just what it takes, and none for more', () => {
    fc.assert(
      fc.property(anyFew, anyFrame, (parcels, changed) => {
        const { batch, sets, kindOf } = setsOf(parcels, changed);
        assert.ok(sets);
        for (let chosen = 1; chosen < 1 << parcels.length; chosen++) {
          const some = batch.transfers.filter((_, index) => (chosen >> index) & 1);
          const load = new TransactionLoad(batch);
          if (some.length < 2 || !some.every((each) => load.add(each))) continue;
          const fitting = sets.filter(({ within }) => some.every((each) => within.includes(kindOf.get(each) ?? -1)));
          // What the others leave is less, because they have parts that these transfers do not need.
          for (const limit of limits) {
            const most = Math.max(...fitting.map(({ room }) => room[limit]));
            assert.equal(most, load.room()[limit] + sum(some, limit), limit);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('name the program of a compute limit once, where a transfer names it too', () => {
    const withProgram = parcelTo(1, { furtherAccounts: [computeBudgetProgram] });
    const withMemo = parcelTo(2, { memoByteLength: 5 });
    const both = parcelTo(3, { memoByteLength: 5, furtherAccounts: [computeBudgetProgram] });
    const { batch, sets } = setsOf([withProgram, withMemo, both], { isHooked: true });
    const load = new TransactionLoad(batch);
    assert.ok(batch.transfers.every((each) => load.add(each)));
    const rooms = (sets ?? []).filter(({ within }) => within.length === 3).map(({ room }) => room.bytes);
    assert.deepEqual(rooms, [load.room().bytes + sum(batch.transfers, 'bytes')]);
  });

  it('are not looked at where there are more than 64', () => {
    const pairs = (count: number): Parcel[] =>
      Array.from({ length: 2 * count }, (_, index) =>
        parcelTo(index, { furtherAccounts: [addressAt(50 + (index % count))] }),
      );
    // Every choice of some of the references but none.
    assert.equal(setsOf(pairs(6)).sets?.length, 2 ** 6 - 1);
    assert.equal(setsOf(pairs(7)).sets, undefined);
  });
});
