import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type BundledBatch, bundleTransfers, unbundle } from '../../src/packing/bundles.ts';
import { Pace, runSteps } from '../../src/packing/weights/steps.ts';
import { TransactionLoad } from '../../src/packing/weights/transaction-load.ts';
import type { WeighedBatch } from '../../src/packing/weights/weigh-batch.ts';
import { anyPaidAgain, plain, weigh, weightOf } from './weighed-kinds.ts';

const bundle = (batch: WeighedBatch): BundledBatch | undefined => runSteps(bundleTransfers(batch, new Pace()));
const indicesOf = (bundles: BundledBatch['bundles']): number[][] =>
  bundles.map((some) => some.map(({ index }) => index));

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
      fc.property(anyPaidAgain, ({ batch }) => {
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
    const anyMemos = fc.array(
      fc
        .tuple(fc.nat(3), anyMemo, fc.nat(300))
        .map(([recipient, memo, letters]) => ({ ...plain(recipient, true), memo: memo && memo + 'a'.repeat(letters) })),
      { minLength: 2, maxLength: 10 },
    );
    const memos = others.map((each) => ({ ...each, memo: 'b' }));
    let count = 0;
    fc.assert(
      fc.property(anyMemos, (some) => {
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
      fc.property(anyPaidAgain, ({ batch }) => {
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
