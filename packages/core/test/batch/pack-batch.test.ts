import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { packBatch } from '../../src/batch/pack-batch.ts';
import { planBatch } from '../../src/batch/plan-batch.ts';
import { TransactionLoad } from '../../src/batch/transaction-load.ts';
import type { WeighedBatch } from '../../src/batch/weigh-batch.ts';
import { measuredComputeUnits } from '../../src/plan/compute-budget.ts';
import { planAccountCount, planSize } from '../../src/plan/plan-message.ts';
import { finish } from '../../src/plan/steps.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import { recipientOf } from '../fixtures.ts';
import { anyOptions, anyTransfer, batchFrom, noPrices, plainOptions, transfersTo, weighed } from './random-batches.ts';

function packed(batch: WeighedBatch) {
  const packing = finish(packBatch(batch));
  assert.ok('transactions' in packing);
  return packing;
}

describe('the packing of a batch', () => {
  it('makes every transfer once, in transactions that are within every limit and as large as it counted', () => {
    fc.assert(
      fc.property(fc.array(anyTransfer(15), { minLength: 1, maxLength: 60 }), anyOptions, (transfers, options) => {
        const parts = batchFrom(transfers, options);
        const planned = finish(planBatch(parts.request, parts.facts, noPrices));
        assert.ok(typeof planned === 'object' && 'transactions' in planned);
        const all = planned.transactions.flatMap((transaction) => transaction.transfers);
        assert.deepEqual(
          all.toSorted((a, b) => a - b),
          transfers.map((_, index) => index),
        );
        assert.ok(planned.lowerBound <= planned.transactions.length);
        const batch = weighed(transfers, options);
        for (const { plan, transfers: indices } of planned.transactions) {
          assert.deepEqual(
            indices,
            indices.toSorted((a, b) => a - b),
          );
          const load = new TransactionLoad(batch);
          assert.ok(indices.every((index) => addTo(load, batch, index)));
          assert.ok(planSize(plan) <= transactionSizeLimit(options.version));
          assert.ok(planAccountCount(plan) <= 64);
          assert.ok(measuredComputeUnits(plan) <= 1_400_000);
          // A transaction that would be the same as another has a limit that it needs for nothing else.
          const isTold = planned.transactions.some((other) => other.plan !== plan && sameAs(other.plan, plan));
          if (!isTold) assert.equal(load.byteLength, planSize(plan));
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('has a lower bound that no division of a few transfers comes below, and at most one transaction more than the best', () => {
    fc.assert(
      fc.property(fc.array(anyTransfer(7), { minLength: 1, maxLength: 7 }), anyOptions, (transfers, options) => {
        const batch = weighed(transfers, options);
        const packing = packed(batch);
        const fewest = fewestOfAll(batch);
        assert.ok(packing.lowerBound <= fewest, `${packing.lowerBound} > ${fewest}`);
        assert.ok(packing.transactions.length <= fewest + 1);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('puts those together that share references, in whatever order they are given', () => {
    const groups = Array.from({ length: 60 }, (_, index) => {
      return { references: Array.from({ length: 8 }, (_, at) => 100 + 10 * (index % 6) + at) };
    });
    const { transactions } = packed(weighed(transfersTo(...groups)));
    assert.equal(transactions.length, 6);
    for (const [first = 0, ...others] of transactions) for (const other of others) assert.equal(other % 6, first % 6);
  });

  it('keeps the order of all transfers where that costs no transaction', () => {
    fc.assert(
      fc.property(fc.array(anyTransfer(20), { minLength: 1, maxLength: 40 }), anyOptions, (transfers, options) => {
        const batch = weighed(transfers, options);
        const packing = packed(batch);
        const indices = packing.transactions.flat();
        const isInOrder = indices.every((index, at) => index === at);
        if (!isInOrder) assert.ok(countInOrder(batch) > packing.transactions.length);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('leaves the order where one transaction less comes of that, and gives the transactions in the order of their first transfers', () => {
    // The transaction that is filled first has the second transfer and the last.
    const memos = [250, 251, 550, 551].map((length) => ({ memo: 'a'.repeat(length) }));
    const { transactions, lowerBound } = packed(weighed(transfersTo(...memos)));
    assert.equal(lowerBound, 2);
    assert.deepEqual(transactions, [
      [0, 2],
      [1, 3],
    ]);
  });

  it('creates a token account that two transactions pay in both', () => {
    const memo = 'a'.repeat(500);
    const again = { recipient: 1, exists: false, memo };
    const parts = batchFrom(transfersTo(again, again), plainOptions);
    const planned = finish(planBatch(parts.request, parts.facts, noPrices));
    assert.ok(typeof planned === 'object' && 'transactions' in planned);
    assert.deepEqual(
      planned.transactions.map(({ plan }) => recipientOf(plan).createsRecipientTokenAccount),
      [true, true],
    );
  });

  it('names every transfer that fits into no transaction, and why', () => {
    const parts = batchFrom(
      transfersTo({}, { memo: 'a'.repeat(1_000) }, {}, { references: Array.from({ length: 40 }, (_, index) => index) }),
      plainOptions,
    );
    const planned = finish(planBatch(parts.request, parts.facts, noPrices));
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

function addTo(load: TransactionLoad, { transfers }: WeighedBatch, index: number): boolean {
  const transfer = transfers[index];
  return transfer !== undefined && load.add(transfer);
}

function countInOrder(batch: WeighedBatch): number {
  let count = 0;
  let load: TransactionLoad | undefined;
  for (const { index } of batch.transfers) {
    if (load && addTo(load, batch, index)) continue;
    load = new TransactionLoad(batch);
    assert.ok(addTo(load, batch, index));
    count += 1;
  }
  return count;
}

// The fewest transactions of all ways to divide a few transfers.
function fewestOfAll(batch: WeighedBatch): number {
  const bins: TransactionLoad[] = [];
  let fewest = batch.transfers.length;
  const place = (index: number): void => {
    const transfer = batch.transfers[index];
    if (!transfer) fewest = Math.min(fewest, bins.length);
    if (!transfer || bins.length >= fewest) return;
    for (const bin of bins) {
      if (!bin.add(transfer)) continue;
      place(index + 1);
      bin.remove(transfer);
    }
    const bin = new TransactionLoad(batch);
    assert.ok(bin.add(transfer));
    bins.push(bin);
    place(index + 1);
    bins.pop();
  };
  place(0);
  return fewest;
}

function sameAs(one: TransferPlan, other: TransferPlan): boolean {
  const textOf = ({ payments }: TransferPlan): string =>
    JSON.stringify(
      payments.map(({ recipient, amount, memo, references }) => [recipient, `${amount}`, memo?.text, references]),
    );
  return textOf(one) === textOf(other);
}
