import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type BundledBatch, bundleTransfers, divideParts, unbundle } from '../../src/packing/bundles.ts';
import { Pace, runSteps } from '../../src/packing/steps.ts';
import { TransactionLoad } from '../../src/packing/transaction-load.ts';
import type { WeighedBatch, WeighedTransfer, Weight } from '../../src/packing/weigh-batch.ts';
import { anyTransfer } from '../batch/random-batches.ts';
import { plain, weigh } from './weighed-kinds.ts';

const bundle = (batch: WeighedBatch): BundledBatch | undefined => runSteps(bundleTransfers(batch, new Pace()));
const indicesOf = (bundles: BundledBatch['bundles']): number[][] =>
  bundles.map((some) => some.map(({ index }) => index));
const anyBatch = fc
  .tuple(fc.array(anyTransfer(12), { minLength: 8, maxLength: 24 }), fc.boolean())
  .map(([transfers, isHooked]) => {
    const { batch } = weigh(transfers);
    return { ...batch, frame: { ...batch.frame, isHooked } };
  });

/** The transfers among transactions, each in the first in which there is room; `undefined` where one fits into none. */
function firstFit(batch: WeighedBatch): TransactionLoad[] | undefined {
  const loads: TransactionLoad[] = [];
  for (const transfer of batch.transfers) {
    if (loads.some((load) => load.add(transfer))) continue;
    const load = new TransactionLoad(batch);
    if (!load.add(transfer)) return undefined;
    loads.push(load);
  }
  return loads;
}

/** What transfers take of a transaction together, that of each part once. */
function weightOf({ shared }: WeighedBatch, transfers: readonly WeighedTransfer[]): Weight {
  const sum: Weight = { bytes: 0, accounts: 0, instructions: 0, computeUnits: 0 };
  const parts = new Set(transfers.flatMap((transfer) => transfer.shared));
  for (const each of [...transfers, ...[...parts].flatMap((part) => shared[part] ?? [])]) {
    sum.bytes += each.bytes;
    sum.accounts += each.accounts;
    sum.instructions += each.instructions;
    sum.computeUnits += each.computeUnits;
  }
  return sum;
}

describe('bundles', () => {
  const others = Array.from({ length: 32 }, (_, index) => plain(100 + index, false));
  const ofSeveral = (batch: WeighedBatch): number[][] => {
    return indicesOf(bundle(batch)?.bundles ?? []).filter((some) => some.length > 1);
  };

  it('are of those who are paid again, each once, and of nobody else', () => {
    const recipients = [0, 1, 2, 0, 3, 2, 0];
    const { batch } = weigh([...recipients.map((recipient) => plain(recipient, false)), ...others]);
    assert.deepEqual(ofSeveral(batch), [
      [0, 3, 6],
      [2, 5],
    ]);
    const bundled = bundle(batch);
    assert.equal(bundled?.transfers.length, 4 + others.length);
    assert.deepEqual(
      bundled.transfers.map(({ creates, index }) => [index, creates]),
      bundled.transfers.map((_, index) => [index, 1]),
    );
  });

  it('are not made where nobody shares anything with a few others, nor of what more than eight share', () => {
    assert.equal(bundle(weigh(others).batch), undefined);
    const nine = Array.from({ length: 9 }, () => plain(0, false));
    assert.equal(bundle(weigh([...nine, ...others]).batch), undefined);
    assert.deepEqual(ofSeveral(weigh([...nine.slice(1), ...others]).batch), [[0, 1, 2, 3, 4, 5, 6, 7]]);
  });

  it('are not made of what more than a quarter of all share', () => {
    assert.equal(bundle(weigh([plain(0, true), ...others.slice(0, 6), plain(0, true)]).batch)?.bundles.length, 7);
    assert.equal(bundle(weigh([plain(0, true), ...others.slice(0, 5), plain(0, true)]).batch), undefined);
  });

  it('are not made of transfers that do not fit into one transaction', () => {
    const large = { ...plain(0, true), memo: 'a'.repeat(400) };
    const three = [large, large, large];
    assert.deepEqual(ofSeveral(weigh([...three, plain(1, true), plain(1, true), ...others]).batch), [[3, 4]]);
    assert.equal(bundle(weigh([...three, ...others]).batch), undefined);
  });

  it('have the compute units of all their memos, and those of none where there is none', () => {
    const [short, long] = ['a', 'a'.repeat(90)].map((memo) => ({ ...plain(0, true), memo }));
    assert.ok(short && long);
    const memos = others.slice(0, 9).map((each) => ({ ...each, memo: 'b' }));
    const { batch } = weigh([short, long, plain(0, true), plain(1, true), plain(1, true), ...memos, ...others]);
    const [units = 0, more = 0] = batch.transfers.map(({ memoComputeUnits }) => memoComputeUnits);
    assert.ok(more > units);
    assert.deepEqual(
      bundle(batch)
        ?.transfers.slice(0, 2)
        .map(({ memoComputeUnits }) => memoComputeUnits),
      [units + more, undefined],
    );
  });

  it('weigh as much as what is in them', () => {
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const bundled = bundle(batch);
        if (!bundled) return;
        for (const [index, one] of bundled.transfers.entries()) {
          assert.deepEqual(weightOf(batch, [one]), weightOf(batch, bundled.bundles[index] ?? []));
        }
      }),
      { numRuns: 500 },
    );
  });

  // Of one memo and transfer instead of several the network grants less, so that a compute limit may be needed, which takes bytes.
  it('fit into a transaction of their own as one, also with memos that take nearly all its compute units and bytes', () => {
    const anyMemo = fc.nat(50).map((count) => (count === 0 ? undefined : '漢'.repeat(count)));
    const anyPaidAgain = fc.array(
      fc
        .tuple(fc.nat(3), anyMemo, fc.nat(300))
        .map(([recipient, memo, letters]) => ({ ...plain(recipient, true), memo: memo && memo + 'a'.repeat(letters) })),
      { minLength: 2, maxLength: 10 },
    );
    const memos = others.map((each) => ({ ...each, memo: 'b' }));
    let count = 0;
    fc.assert(
      fc.property(anyPaidAgain, (some) => {
        const bundled = bundle(weigh([...some, ...memos]).batch);
        for (const [index, one] of bundled?.transfers.entries() ?? []) {
          assert.ok(bundled && new TransactionLoad(bundled).add(one));
          if ((bundled.bundles[index]?.length ?? 0) > 1) count++;
        }
      }),
      { numRuns: 1_000 },
    );
    assert.ok(count > 300, `${count} bundles`);
  });

  it('fit as they are wherever they fit as one', () => {
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const bundled = bundle(batch);
        const loads = bundled && firstFit(bundled);
        if (!bundled || !loads) return;
        const unbundled = runSteps(unbundle(batch, bundled, loads, new Pace()));
        assert.ok(unbundled);
        assert.deepEqual(
          unbundled.flatMap(({ transfers }) => transfers.map(({ index }) => index)).sort((a, b) => a - b),
          batch.transfers.map(({ index }) => index),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('parts that are divided', () => {
  it('are those that few need, and belong to these then', () => {
    const others = Array.from({ length: 32 }, (_, index) => plain(100 + index, false));
    const { batch } = weigh([plain(0, false), plain(0, false), ...others]);
    const [one, two, other] = runSteps(divideParts(batch, new Pace())).transfers;
    assert.ok(one && two && other);
    assert.deepEqual([one.shared, two.shared], [other.shared, other.shared]);
    assert.equal(one.bytes + two.bytes, other.bytes + (batch.transfers[0]?.bytes ?? 0));
    assert.equal(one.instructions + two.instructions, other.instructions + 1);
  });

  it('take no more of a transaction than they do as a whole, whichever transfers are in there, and as much in all together', () => {
    fc.assert(
      fc.property(anyBatch, fc.nat(2 ** 24 - 1), (batch, chosen) => {
        const divided = runSteps(divideParts(batch, new Pace()));
        const some = batch.transfers.filter((_, index) => (chosen >> index) & 1);
        const whole = weightOf(batch, some);
        const part = weightOf(
          divided,
          some.flatMap(({ index }) => divided.transfers[index] ?? []),
        );
        for (const limit of ['bytes', 'accounts', 'instructions', 'computeUnits'] as const) {
          assert.ok(part[limit] <= whole[limit]);
        }
        assert.deepEqual(weightOf(divided, divided.transfers), weightOf(batch, batch.transfers));
      }),
      { numRuns: 500 },
    );
  });
});
