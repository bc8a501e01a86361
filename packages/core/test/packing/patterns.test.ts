import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { frameOf, parcelOf } from '../../src/batch/parcel-of.ts';
import { fewestTransactions } from '../../src/packing/fewest-transactions.ts';
import { kindsOf, type PatternKind, patternKindsOf } from '../../src/packing/kinds-of-transfers.ts';
import { mostValuable } from '../../src/packing/most-valuable.ts';
import type { Parcel, TransactionFrame } from '../../src/packing/parcel.ts';
import { findPatterns, type PatternsFound } from '../../src/packing/patterns.ts';
import { Pace, runSteps } from '../../src/packing/steps.ts';
import { TransactionLoad } from '../../src/packing/transaction-load.ts';
import { type WeighedBatch, weighBatch } from '../../src/packing/weigh-batch.ts';
import { anyTransfer, type BatchOptions, batchFrom, type TransferParts } from '../batch/random-batches.ts';
import { fewestOfAll } from './fewest-of-all.ts';

const options: BatchOptions = {
  version: 0,
  createTokenAccount: 'if_missing',
  priorityFee: undefined,
  isSponsored: false,
  hasNonce: false,
};

interface Weighed {
  parcels: readonly Parcel[];
  frame: TransactionFrame;
  batch: WeighedBatch;
  kinds: readonly PatternKind[];
}

function weigh(transfers: readonly TransferParts[]): Weighed {
  const { request, facts } = batchFrom(transfers, options);
  const parcels = facts.payments.map((payment) => parcelOf(payment, 254, request, facts.mint, facts.tokenAccountRent));
  const frame = frameOf(request, facts.mint, facts.addresses.sender, undefined);
  const batch = runSteps(weighBatch(parcels, frame, new Pace()));
  const { scarcest, partsOfLimits } = runSteps(fewestTransactions(batch, new Pace()));
  const kinds = patternKindsOf(runSteps(kindsOf(batch, scarcest, new Pace())), partsOfLimits);
  return { parcels, frame, batch, kinds };
}

const find = ({ batch, kinds }: Weighed, enough: number): PatternsFound =>
  runSteps(findPatterns(batch, kinds, enough, new Pace()));

const plain = (recipient: number, exists: boolean): TransferParts => {
  return { recipient, exists, amount: 1, memo: undefined, references: [] };
};

// One transfer of each recipient, all of which fit into a transaction by themselves.
const anyFew = fc
  .array(anyTransfer(1), { minLength: 1, maxLength: 7 })
  .map((transfers) => transfers.map((each, recipient) => ({ ...each, recipient })));

function fits(batch: WeighedBatch, kinds: readonly PatternKind[], counts: readonly number[]): boolean {
  const load = new TransactionLoad(batch);
  return counts.every((count, kind) => (kinds[kind]?.transfers ?? []).slice(0, count).every((each) => load.add(each)));
}

describe('the patterns of transactions', () => {
  it('make all transfers together, and each fits into a transaction', () => {
    fc.assert(
      fc.property(anyFew, (transfers) => {
        const { batch, kinds, ...rest } = weigh(transfers);
        if (!batch.transfers.every((each) => new TransactionLoad(batch).add(each))) return;
        const { patterns } = find({ batch, kinds, ...rest }, Number.POSITIVE_INFINITY);
        for (const { counts } of patterns) assert.ok(fits(batch, kinds, counts));
        for (const [kind, { transfers: some }] of kinds.entries()) {
          const made = patterns.reduce((sum, { counts, times }) => sum + (counts[kind] ?? 0) * times, 0);
          assert.ok(made > some.length - 1e-6, `${made} of ${some.length}`);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('have a bound that no division of a few transfers is below', () => {
    fc.assert(
      fc.property(anyFew, (transfers) => {
        const weighed = weigh(transfers);
        if (!weighed.batch.transfers.every((each) => new TransactionLoad(weighed.batch).add(each))) return;
        assert.ok(find(weighed, Number.POSITIVE_INFINITY).bound <= fewestOfAll(weighed.parcels, weighed.frame));
      }),
      { numRuns: 200 },
    );
  });

  it('end where the bound is as many transactions as there are', () => {
    const weighed = weigh(Array.from({ length: 300 }, (_, index) => plain(index, index % 2 === 0)));
    const { bound } = find(weighed, Number.POSITIVE_INFINITY);
    assert.ok(bound > 10);
    assert.ok(find(weighed, 1).bound <= bound);
  });
});

describe('the most valuable transaction', () => {
  const weighed = weigh([plain(0, true), plain(1, true), plain(2, false), plain(3, false)]);
  const valuable = (values: readonly number[]) =>
    runSteps(mostValuable(weighed.batch, weighed.kinds, values, new Pace()));

  it('has all that is worth something, where all of it fits', () => {
    const { counts, value, limit } = valuable([1, 2]);
    assert.deepEqual([counts, value], [[2, 2], 6]);
    assert.ok(limit >= 6 && limit < 6.001);
    assert.deepEqual(valuable([0, 2]).counts, [0, 2]);
  });

  it('is none where nothing is worth more than 1', () => {
    const { counts, value, limit } = valuable([0.1, 0.2]);
    assert.deepEqual([counts, value], [[0, 0], 1]);
    assert.ok(limit >= 1 && limit < 1.001);
  });
});
