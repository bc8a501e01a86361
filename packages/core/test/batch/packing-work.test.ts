import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packApart } from '../../src/batch/pack-apart.ts';
import { frameOf, parcelOf } from '../../src/batch/parcel-of.ts';
import type { Parcel } from '../../src/packing/weights/parcel.ts';
import { TransactionLoad } from '../../src/packing/weights/transaction-load.ts';
import { weighBatch } from '../../src/packing/weights/weigh-batch.ts';
import { type Draw, drawFrom } from '../packing/plain-parcels.ts';
import { addressAt, anyOptions, batchFrom, type TransferParts } from './random-batches.ts';

const count = 1_000;
// In how many transactions a transfer is tried, on average: putting it in and taking it out are what packing does most.
const maxPlacements = 300 * count;
// A turn with this many takes some 20 ms.
const maxPlacementsInTurn = 30 * count;
const maxTurns = 400;

const memos: readonly ((draw: Draw) => string | undefined)[] = [
  () => undefined,
  () => 'order 7',
  (draw) => 'a'.repeat(1 + draw(24)),
  (draw) => 'a'.repeat(1 + draw(300)),
  // Two or three fill a transaction, and many of these differ.
  (draw) => 'a'.repeat(130 + draw(370)),
  // Some leave no room for a compute limit.
  (draw) => 'a'.repeat(850 + draw(48)),
];
const recipients: readonly ((draw: Draw, index: number) => number)[] = [
  (_, index) => index,
  (_, index) => index >> 1,
  (draw) => draw(15),
  () => 1,
];
const poolSizes: readonly number[] = [1, 11, 40, 400, 5_000];

/** A batch of transfers of a few sorts, each of which is drawn from the same choices. */
interface Drawn {
  seed: number;
  sortCount: number;
  hookAccountCount: number;
}

const anyDrawn: fc.Arbitrary<Drawn> = fc.record({
  seed: fc.nat(),
  sortCount: fc.constantFrom(1, 2, 6),
  hookAccountCount: fc.constantFrom(0, 0, 2, 8),
});

function drawTransfers({ seed, sortCount }: Drawn): TransferParts[] {
  const draw = drawFrom(seed);
  const choose = <Each>(all: readonly Each[], otherwise: Each): Each => all[draw(all.length)] ?? otherwise;
  const sorts = Array.from({ length: sortCount }, () => {
    const memo = choose(memos, () => undefined);
    const isLong = memo(() => 0)?.length === 850;
    return {
      memo,
      recipient: choose(recipients, () => 1),
      referenceCount: isLong ? 0 : choose([0, 0, 3, 10], 0),
      poolSize: choose(poolSizes, 1),
      existing: choose([0, 50, 100], 0),
    };
  });
  return Array.from({ length: count }, (_, index) => {
    const sort = sorts[draw(sortCount)];
    assert.ok(sort);
    return {
      recipient: sort.recipient(draw, index),
      exists: draw(100) < sort.existing,
      amount: 1 + draw(2),
      memo: sort.memo(draw),
      references: Array.from({ length: sort.referenceCount }, () => 90_000 + draw(sort.poolSize)),
    };
  });
}

function withHook(parcel: Parcel, accountCount: number): Parcel {
  if (accountCount === 0) return parcel;
  const accounts = Array.from({ length: accountCount }, (_, index) => addressAt(2_000 + index));
  return {
    ...parcel,
    furtherAccounts: [...parcel.furtherAccounts, ...accounts],
    instructionCount: parcel.instructionCount + 5,
  };
}

// Not by a mock of the test runner, which keeps a stack of each of a million calls.
function countPlacements(): { inTurns: number[]; pause: () => Promise<void>; end: () => void } {
  const { add } = TransactionLoad.prototype;
  const inTurns: number[] = [];
  let placementCount = 0;
  TransactionLoad.prototype.add = function (transfer) {
    placementCount += 1;
    return add.call(this, transfer);
  };
  const pause = async (): Promise<void> => {
    inTurns.push(placementCount);
    placementCount = 0;
  };
  return {
    inTurns,
    pause,
    end: () => {
      void pause();
      TransactionLoad.prototype.add = add;
    },
  };
}

describe('packing a thousand transfers of any kind', () => {
  it('takes a bounded number of turns and of placements in each, and makes each once within every limit', async () => {
    let packedCount = 0;
    await fc.assert(
      fc.asyncProperty(anyDrawn, anyOptions, async (drawn, options) => {
        const { request, facts } = batchFrom(drawTransfers(drawn), { ...options, hasNonce: false });
        const isHooked = drawn.hookAccountCount > 0;
        const frame = { ...frameOf(request, facts), isHooked };
        const parcels = facts.payments.map((payment) =>
          withHook(parcelOf(payment, request, facts), drawn.hookAccountCount),
        );
        const payees = facts.payments.map(({ payee }) => payee);
        const { inTurns, pause, end } = countPlacements();
        const packed = await packApart(parcels, payees, frame, pause);
        end();
        assert.ok(inTurns.length <= maxTurns, `${inTurns.length} turns`);
        assert.ok(Math.max(...inTurns) <= maxPlacementsInTurn, `${inTurns} placements`);
        const placementCount = inTurns.reduce((sum, each) => sum + each, 0);
        assert.ok(placementCount <= maxPlacements, `${placementCount} placements`);
        if ('tooLarge' in packed) return;
        packedCount += 1;
        const { transactions, lowerBound, duplicateIndices } = packed;
        assert.ok(lowerBound <= transactions.length);
        assert.equal(duplicateIndices.length, transactions.length);
        assert.deepEqual(
          transactions.flat().sort((a, b) => a - b),
          parcels.map((_, index) => index),
        );
        const batch = weighBatch(parcels, frame);
        for (const indices of transactions) {
          const load = new TransactionLoad(batch);
          for (const index of indices) {
            const transfer = batch.transfers[index];
            assert.ok(transfer && load.add(transfer));
          }
        }
      }),
      { numRuns: 6 },
    );
    assert.ok(packedCount > 0);
  });
});
