import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { planBatch } from '../../src/batch/plan-batch.ts';
import { packBatch } from '../../src/packing/pack-batch.ts';
import { noPause } from '../../src/packing/pause.ts';
import type { Parcel, TransactionFrame } from '../../src/packing/weights/parcel.ts';
import { TransactionLoad } from '../../src/packing/weights/transaction-load.ts';
import { weighBatch } from '../../src/packing/weights/weigh-batch.ts';
import { measuredComputeUnits } from '../../src/plan/compute-budget.ts';
import { planAccountCount, planSize } from '../../src/plan/plan-message.ts';
import { transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import {
  addressAt,
  anyOptions,
  anyTransfer,
  type BatchParts,
  batchFrom,
  noPrices,
  parcelsOf,
  plainOptions,
  transfersTo,
} from '../batch/random-batches.ts';
import { fewestOfAll } from './plain-parcels.ts';

async function packed(parts: BatchParts) {
  const { parcels, frame } = parcelsOf(parts);
  const packing = await packBatch(parcels, frame, noPause);
  assert.ok('transactions' in packing);
  return packing;
}

describe('the packing of a batch', () => {
  it('makes every transfer once, in transactions that are within every limit and as large as it counted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTransfer(15), { minLength: 1, maxLength: 60 }),
        anyOptions,
        async (transfers, options) => {
          const parts = batchFrom(transfers, options);
          const planned = await planBatch(parts.request, parts.facts, noPrices, noPause);
          assert.ok(typeof planned === 'object' && 'transactions' in planned);
          const all = planned.transactions.flatMap((transaction) => transaction.transfers);
          assert.deepEqual(
            all.toSorted((a, b) => a - b),
            transfers.map((_, index) => index),
          );
          assert.ok(planned.lowerBound <= planned.transactions.length);
          const { parcels, frame } = parcelsOf(parts);
          for (const { plan, transfers: indices } of planned.transactions) {
            assert.deepEqual(
              indices,
              indices.toSorted((a, b) => a - b),
            );
            const chosen = parcels.filter((_, index) => indices.includes(index));
            const load = loadOf(frame, chosen);
            assert.ok(load);
            assert.ok(planSize(plan) <= transactionSizeLimit(options.version));
            assert.ok(planAccountCount(plan) <= 64);
            assert.ok(measuredComputeUnits(plan) <= 1_400_000);
            // A transaction that would be the same as another has a limit that it needs for nothing else.
            const isTold = planned.transactions.some((other) => other.plan !== plan && sameAs(other.plan, plan));
            if (!isTold) assert.equal(load.byteLength, planSize(plan));
          }
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });

  it('has a lower bound that no division of a few transfers comes below, and at most one transaction more than the best', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTransfer(7), { minLength: 1, maxLength: 7 }),
        anyOptions,
        async (transfers, options) => {
          const { parcels, frame } = parcelsOf(batchFrom(transfers, options));
          const packing = await packBatch(parcels, frame, noPause);
          assert.ok('transactions' in packing);
          const fewest = fewestOfAll(parcels, frame);
          assert.ok(packing.lowerBound <= fewest, `${packing.lowerBound} > ${fewest}`);
          assert.ok(packing.transactions.length <= fewest + 1);
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });

  it('puts transfers that take many bytes next to those that run many instructions', async () => {
    const long = Array.from({ length: 300 }, (_, index) => ({ memo: 'a'.repeat(350 + index) }));
    const created = Array.from({ length: 450 }, () => ({ exists: false }));
    const parts = batchFrom(transfersTo(...long, ...created), { ...plainOptions, version: 1 });
    const { transactions, lowerBound } = await packed(parts);
    assert.deepEqual([transactions.length, lowerBound], [57, 55]);
  });

  it('keeps the order of all transfers where that costs no transaction', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTransfer(20), { minLength: 1, maxLength: 40 }),
        anyOptions,
        async (transfers, options) => {
          const { parcels, frame } = parcelsOf(batchFrom(transfers, options));
          const packing = await packBatch(parcels, frame, noPause);
          assert.ok('transactions' in packing);
          const indices = packing.transactions.flat();
          const isInOrder = indices.every((index, at) => index === at);
          if (!isInOrder) assert.ok(countInOrder(parcels, frame) > packing.transactions.length);
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });

  it('leaves the order where one transaction less comes of that', async () => {
    const long = { memo: 'a'.repeat(550) };
    const short = { memo: 'b'.repeat(250) };
    const { transactions, lowerBound } = await packed(batchFrom(transfersTo(short, short, long, long), plainOptions));
    assert.equal(lowerBound, 2);
    assert.deepEqual(transactions, [
      [0, 2],
      [1, 3],
    ]);
  });

  it('creates a token account that two transactions pay in both', async () => {
    const memo = 'a'.repeat(500);
    const again = { recipient: 1, exists: false, memo };
    const parts = batchFrom(transfersTo(again, again), plainOptions);
    const planned = await planBatch(parts.request, parts.facts, noPrices, noPause);
    assert.ok(typeof planned === 'object' && 'transactions' in planned);
    assert.deepEqual(
      planned.transactions.map(({ plan }) => plan.createsRecipientTokenAccount),
      [true, true],
    );
  });

  for (const [version, creates] of [
    ['legacy', 62],
    [0, 62],
    [1, 64],
  ] as const) {
    it(`runs no more than 64 instructions in a transaction of version ${version}, room for a limit and a price included`, () => {
      const { parcels, frame } = parcelsOf(batchFrom(transfersTo({ exists: true }), { ...plainOptions, version }));
      const [parcel] = parcels;
      assert.ok(parcel);
      const counted = { ...parcel, instructionCount: creates };
      assert.ok(loadOf(frame, [counted]));
      assert.ok(!loadOf(frame, [{ ...counted, instructionCount: creates + 1 }]));
      assert.ok(!loadOf({ ...frame, hasNonce: true }, [counted]));
    });
  }

  it('lets a memo next to a hook have the bytes of an optional compute limit where it needs them, alone', () => {
    const { parcels, frame } = parcelsOf(batchFrom(transfersTo({ memo: 'a' }), plainOptions));
    const [parcel] = parcels;
    assert.ok(parcel);
    const longest = (hooked: TransactionFrame): number => {
      let length = 1_232;
      while (!loadOf(hooked, [{ ...parcel, memoByteLength: length }])) length--;
      return length;
    };
    assert.equal(longest({ ...frame, isHooked: true }), longest(frame));
    assert.equal(longest({ ...frame, isHooked: true, hasRoomForLimit: true }), longest(frame) - 40);
    const byteLength = loadOf({ ...frame, isHooked: true }, [parcel, parcel])?.byteLength;
    assert.equal(byteLength, (loadOf(frame, [parcel, parcel])?.byteLength ?? 0) + 40);
  });

  it('fills a transaction to the last compute unit, account and byte, and no further', () => {
    const { parcels, frame } = parcelsOf(batchFrom(transfersTo({}), { ...plainOptions, version: 1 }));
    const [parcel] = parcels;
    assert.ok(parcel);
    const takes = (changes: Partial<Parcel>): boolean => loadOf(frame, [{ ...parcel, ...changes }]) !== undefined;
    // Four builtin instructions at 150 units each are kept free.
    assert.ok(takes({ computeUnits: 1_399_400 }));
    assert.ok(!takes({ computeUnits: 1_399_401 }));
    const others = Array.from({ length: 60 }, (_, index) => addressAt(500 + index));
    const free = 64 - frame.accounts.length - 1;
    assert.ok(takes({ furtherAccounts: others.slice(0, free) }));
    assert.ok(!takes({ furtherAccounts: others.slice(0, free + 1) }));
    const load = loadOf(frame, [parcel]);
    assert.ok(load);
    assert.equal(load.room().bytes, 4_096 - load.byteLength);
    const room = load.room().bytes - 4 - 1 - 32;
    assert.ok(takes({ memoByteLength: room }));
    assert.ok(!takes({ memoByteLength: room + 1 }));
  });

  it('counts a compute limit next to a hook for memos alone', () => {
    const { parcels, frame } = parcelsOf(batchFrom(transfersTo({}, {}), plainOptions));
    assert.equal(loadOf(frame, parcels)?.byteLength, loadOf({ ...frame, isHooked: true }, parcels)?.byteLength);
  });

  it('names every transfer that fits into no transaction, and why', async () => {
    const parts = batchFrom(
      transfersTo({}, { memo: 'a'.repeat(1_000) }, {}, { references: Array.from({ length: 40 }, (_, index) => index) }),
      plainOptions,
    );
    const planned = await planBatch(parts.request, parts.facts, noPrices, noPause);
    assert.ok(typeof planned === 'object' && 'findings' in planned);
    assert.deepEqual(
      planned.findings.map(({ code, field }) => ({ code, field })),
      [
        { code: 'transaction_too_large', field: { transfer: 1, part: 'memo' } },
        { code: 'transaction_too_large', field: { transfer: 3, part: 'to' } },
      ],
    );
  });
});

function countInOrder(parcels: readonly Parcel[], frame: TransactionFrame): number {
  const batch = weighBatch(parcels, frame);
  let count = 0;
  let load: TransactionLoad | undefined;
  for (const transfer of batch.transfers) {
    if (load?.add(transfer)) continue;
    load = new TransactionLoad(batch);
    assert.ok(load.add(transfer));
    count += 1;
  }
  return count;
}

// The transaction that makes these transfers; `undefined` where they do not fit into one.
function loadOf(frame: TransactionFrame, parcels: readonly Parcel[]): TransactionLoad | undefined {
  const batch = weighBatch(parcels, frame);
  const load = new TransactionLoad(batch);
  return batch.transfers.every((transfer) => load.add(transfer)) ? load : undefined;
}

function sameAs(one: Parameters<typeof planSize>[0], other: Parameters<typeof planSize>[0]): boolean {
  const textOf = ({ splits, ...plan }: Parameters<typeof planSize>[0]): string =>
    JSON.stringify(
      [...splits, plan].map(({ recipient, amount, memo, references }) => [
        recipient,
        `${amount}`,
        memo?.text,
        references,
      ]),
    );
  return textOf(one) === textOf(other);
}
