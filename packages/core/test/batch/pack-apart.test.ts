import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packApart } from '../../src/batch/pack-apart.ts';
import { frameOf, parcelOf } from '../../src/batch/parcel-of.ts';
import { packBatch } from '../../src/packing/pack-batch.ts';
import { noPause } from '../../src/packing/pause.ts';
import { batchFrom, type TransferParts } from './random-batches.ts';

function sceneOf(transfers: readonly TransferParts[]) {
  const { request, facts } = batchFrom(transfers, {
    version: 'legacy',
    createTokenAccount: 'if_missing',
    priorityFee: undefined,
    isSponsored: false,
    hasNonce: false,
  });
  const { payments } = facts;
  const frame = frameOf(request, facts);
  const parcels = payments.map((payment) => parcelOf(payment, request, facts));
  return { parcels, frame, payees: payments.map(({ payee }) => payee) };
}

async function packedApart(transfers: readonly TransferParts[]) {
  const { parcels, frame, payees } = sceneOf(transfers);
  return await packApart(parcels, payees, frame, noPause);
}

async function packedWith(transfers: readonly TransferParts[], hasRoomForLimit: boolean) {
  const { parcels, frame } = sceneOf(transfers);
  const packing = await packBatch(parcels, { ...frame, hasRoomForLimit }, noPause);
  assert.ok('transactions' in packing);
  return packing;
}

const paying = (recipient: number, memo?: string): TransferParts => {
  return { recipient, exists: true, amount: 5, memo, references: [] };
};
const full = (letter: string) => paying(1, letter.repeat(904));

describe('a batch that is packed apart', () => {
  it('leaves no room for compute limits where no two transactions pay the same', async () => {
    const transfers = Array.from({ length: 60 }, (_, index) => paying(index));
    const packing = await packedWith(transfers, false);
    assert.ok((await packedWith(transfers, true)).transactions.length > packing.transactions.length);
    assert.deepEqual(await packedApart(transfers), { ...packing, duplicateIndices: packing.transactions.map(() => 0) });
  });

  it('leaves room for them where two do, and has the lower bound of transactions without', async () => {
    const alike = (count: number) => Array.from({ length: count }, () => paying(1));
    const [first = []] = (await packedWith(alike(200), false)).transactions;
    const transfers = alike(4 * first.length);
    const { transactions } = await packedWith(transfers, true);
    assert.equal(transactions.length, 5);
    const lengths = transactions.map(({ length }) => length);
    const duplicateIndices = lengths.map(
      (length, index) => lengths.slice(0, index).filter((each) => each === length).length,
    );
    assert.deepEqual(await packedApart(transfers), { transactions, lowerBound: 4, duplicateIndices });
  });

  it('gives what has no room for one a transaction of its own, in the order of first transfers', async () => {
    const twins = Array.from({ length: 40 }, () => paying(1));
    const packed = await packedApart([...twins, full('a'), ...twins, full('b'), ...twins]);
    assert.ok('transactions' in packed);
    const firsts = packed.transactions.map(([first]) => first);
    assert.deepEqual(
      firsts,
      firsts.toSorted((a = 0, b = 0) => a - b),
    );
    assert.deepEqual(
      packed.transactions.filter((transfers) => transfers.includes(40) || transfers.includes(81)),
      [[40], [81]],
    );
    assert.notEqual(firsts.at(-1), 81);
  });

  it('is too large in what has no room to differ from its twin, and in nothing else', async () => {
    const twins = Array.from({ length: 40 }, () => paying(1));
    assert.deepEqual(await packedApart([full('a'), ...twins, full('b'), full('a')]), { tooLarge: [42] });
    assert.deepEqual(await packedApart([paying(1, 'a'.repeat(2_000)), ...twins]), { tooLarge: [0] });
  });
});
