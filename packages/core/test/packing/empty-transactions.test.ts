import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyTransactions } from '../../src/packing/pack-tightly.ts';
import { noPause } from '../../src/packing/pause.ts';
import { TransactionLoad } from '../../src/packing/weights/transaction-load.ts';
import { weighBatch } from '../../src/packing/weights/weigh-batch.ts';
import { frame, parcelTo } from './plain-parcels.ts';

// Transactions of transfers with memos of these many bytes.
async function emptied(memoByteLengths: readonly (readonly number[])[], goal: number): Promise<number[][]> {
  const parcels = memoByteLengths.flat().map((memoByteLength, index) => parcelTo(index, { memoByteLength }));
  const batch = weighBatch(parcels, frame);
  let next = 0;
  const loads = memoByteLengths.map((lengths) => {
    const load = new TransactionLoad(batch);
    for (const _ of lengths) {
      const transfer = batch.transfers[next++];
      assert.ok(transfer && load.add(transfer));
    }
    return load;
  });
  const parts = parcels.map(({ memoByteLength = 0 }) => memoByteLength / 1_232);
  const left = await emptyTransactions(loads, parts, goal, noPause);
  return left.loads.map(({ transfers }) => transfers.map(({ index }) => index).sort((a, b) => a - b)).sort();
}

describe('emptying transactions', () => {
  it('leaves out those whose transfers all fit into others, the least full first', async () => {
    assert.deepEqual(await emptied([[600], [200, 100], [600]], 1), [
      [0, 1],
      [2, 3],
    ]);
  });

  it('keeps every transfer where one does not fit into any other', async () => {
    const left = await emptied([[700], [100, 500], [700]], 1);
    assert.equal(left.length, 3);
    assert.deepEqual(
      left.flat().sort((a, b) => a - b),
      [0, 1, 2, 3],
    );
  });

  it('ends when as few are left as there can be', async () => {
    assert.equal((await emptied([[100], [100], [100]], 3)).length, 3);
    assert.equal((await emptied([[100], [100], [100]], 2)).length, 2);
    assert.equal((await emptied([[100], [100], [100]], 1)).length, 1);
  });
});
