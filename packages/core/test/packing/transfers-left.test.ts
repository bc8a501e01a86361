import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TransfersLeft } from '../../src/packing/transfers-left.ts';
import { TransactionLoad } from '../../src/packing/weights/transaction-load.ts';
import {
  type Kind,
  kindsOf,
  limits,
  ofEachLimit,
  type WeighedBatch,
  type WeighedTransfer,
  type Weight,
  weighBatch,
} from '../../src/packing/weights/weigh-batch.ts';
import { addressAt } from '../batch/random-batches.ts';
import { frame, parcelTo } from './plain-parcels.ts';

const prices: Weight = { bytes: 1 / 1_000, accounts: 1 / 60, instructions: 1 / 64, computeUnits: 1 / 1_400_000 };

// Without memos, which may need a compute limit: that is weighed when a transfer is put in.
const anyBatch = fc
  .array(
    fc.record({
      recipient: fc.nat(25),
      createsTokenAccount: fc.boolean(),
      references: fc.uniqueArray(fc.nat(40), { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((transfers) => {
    const parcels = transfers.map(({ recipient, createsTokenAccount, references }) =>
      parcelTo(recipient, { createsTokenAccount, furtherAccounts: references.map((each) => addressAt(900 + each)) }),
    );
    return weighBatch(parcels, frame);
  });

const kindsIn = (batch: WeighedBatch): readonly Kind[] => kindsOf(batch, 'bytes');

function addedBy({ shared }: WeighedBatch, load: TransactionLoad, transfer: WeighedTransfer): Weight {
  const parts = transfer.shared.filter((part) => !load.transfers.some((other) => other.shared.includes(part)));
  const added = [transfer, ...parts.flatMap((part) => shared[part] ?? [])];
  return ofEachLimit((limit) => added.reduce((sum, each) => sum + each[limit], 0));
}

describe('the transfers that are left', () => {
  it('give the one that fits and is worth most for what it adds, until none fits, and each transfer once', () => {
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const kinds = kindsIn(batch);
        const values = batch.transfers.map((_, index) => 1 + (index % 3));
        const left = new TransfersLeft(batch, kinds, { values, scarcest: 'bytes' });
        const packed = new Set<WeighedTransfer>();
        for (let load = new TransactionLoad(batch); left.begin(load); load = new TransactionLoad(batch)) {
          assert.equal(load.transfers.length, 1);
          for (;;) {
            for (const transfer of load.transfers) packed.add(transfer);
            const room = load.room();
            const worths = kinds.flatMap(({ transfers, one }) => {
              const added = addedBy(batch, load, one);
              const isLeft = transfers.some((transfer) => !packed.has(transfer));
              if (!isLeft || limits.some((limit) => added[limit] > room[limit])) return [];
              return (values[one.index] ?? 0) / limits.reduce((cost, limit) => cost + added[limit] * prices[limit], 0);
            });
            const best = left.best(room, prices);
            assert.equal(best === undefined, worths.length === 0);
            if (!best) break;
            assert.ok(left.put(best.kind, load));
            const put = load.transfers.at(-1);
            assert.ok(put && !packed.has(put));
            load.remove(put);
            const cost = limits.reduce((sum, limit) => sum + addedBy(batch, load, put)[limit] * prices[limit], 0);
            load.add(put);
            const one = kinds[best.kind]?.one;
            assert.ok(one && Math.abs((values[one.index] ?? 0) / cost - Math.max(...worths)) < 1e-6);
          }
        }
        assert.equal(packed.size, batch.transfers.length);
      }),
      { numRuns: 200 },
    );
  });

  it('give the largest of those that are worth the same', () => {
    const batch = weighBatch(
      [0, 1, 3, 2].map((count, recipient) =>
        parcelTo(recipient, {
          furtherAccounts: Array.from({ length: count }, (_, at) => addressAt(900 + 10 * recipient + at)),
        }),
      ),
      frame,
    );
    const values = batch.transfers.map(({ bytes }) => bytes);
    const left = new TransfersLeft(batch, kindsIn(batch), { values, scarcest: 'bytes' });
    const load = new TransactionLoad(batch);
    left.begin(load);
    for (let best = left.best(load.room(), onlyBytes); best; best = left.best(load.room(), onlyBytes)) {
      left.put(best.kind, load);
    }
    assert.deepEqual(
      load.transfers.map(({ index }) => index),
      [2, 3, 1, 0],
    );
    assert.ok(!left.begin(new TransactionLoad(batch)));
  });

  it('count the weights that were looked at', () => {
    const batch = weighBatch([parcelTo(1), parcelTo(2), parcelTo(3)], frame);
    const left = new TransfersLeft(batch, kindsIn(batch), { values: [1, 1, 1], scarcest: 'bytes' });
    const load = new TransactionLoad(batch);
    left.begin(load);
    const { looks } = left;
    left.best(load.room(), prices);
    assert.equal(left.looks, looks + 1);
  });

  it('are too large for any transaction only where one is', () => {
    const batch = weighBatch([parcelTo(1, { memoByteLength: 2_000 })], frame);
    const left = new TransfersLeft(batch, kindsIn(batch), { values: [1], scarcest: 'bytes' });
    assert.throws(() => left.begin(new TransactionLoad(batch)), RangeError);
  });
});

const onlyBytes: Weight = { bytes: 1, accounts: 0, instructions: 0, computeUnits: 0 };
