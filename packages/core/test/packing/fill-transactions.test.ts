import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Filling, fillTransactions } from '../../src/packing/fill-transactions.ts';
import { noPause } from '../../src/packing/pause.ts';
import { kindsOf, weighBatch } from '../../src/packing/weights/weigh-batch.ts';
import { frame, parcelTo } from './plain-parcels.ts';

// The sizes of memos in each transaction that is filled.
async function filled(
  sizes: readonly number[],
  changes: Partial<Filling> = {},
  maxUnits = 1_000_000,
): Promise<number[][] | undefined> {
  const parcels = sizes.map((memoByteLength, index) => parcelTo(index, { memoByteLength }));
  const batch = weighBatch(parcels, frame);
  const kinds = kindsOf(batch, 'bytes');
  const values = batch.transfers.map(({ bytes }) => bytes);
  const prices = { bytes: 1, accounts: 0, instructions: 0, computeUnits: 0 };
  const filling: Filling = { values, scarcest: 'bytes', prices, capacities: undefined, chosenTogether: 3, ...changes };
  const packed = await fillTransactions(batch, kinds, filling, maxUnits, noPause);
  return packed?.loads.map(({ transfers }) => transfers.map(({ index }) => sizes[index] ?? 0));
}

describe('filling transactions', () => {
  it('puts the largest transfer in first, then the largest that fits', async () => {
    assert.deepEqual(await filled([100, 500, 700, 200], { chosenTogether: 0 }), [
      [700, 100],
      [500, 200],
    ]);
  });

  it('chooses the last ones together, so that they leave little room', async () => {
    // Next to the largest there is room for 435 bytes. A transfer takes 54 more than its memo.
    const sizes = [480, 250, 162, 158];
    assert.deepEqual((await filled(sizes, { chosenTogether: 0 }))?.[0], [480, 250]);
    assert.deepEqual((await filled(sizes))?.[0], [480, 162, 158]);
  });

  it('gives up when it would take more work than it may', async () => {
    const sizes = Array.from({ length: 30 }, (_, index) => 400 + index);
    assert.equal((await filled(sizes))?.length, 15);
    assert.equal(await filled(sizes, {}, 3_000), undefined);
  });
});
