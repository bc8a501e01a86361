import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { frameOf, parcelOf } from '../../src/batch/parcel-of.ts';
import { fewestTransactions } from '../../src/packing/fewest-transactions.ts';
import { type Kind, kindsOf } from '../../src/packing/kinds-of-transfers.ts';
import { type MostValuable, mostValuable } from '../../src/packing/most-valuable.ts';
import type { Parcel, TransactionFrame } from '../../src/packing/parcel.ts';
import { partSetsOf } from '../../src/packing/part-sets.ts';
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
  kinds: readonly Kind[];
}

function weigh(transfers: readonly TransferParts[]): Weighed {
  const { request, facts } = batchFrom(transfers, options);
  const parcels = facts.payments.map((payment) => parcelOf(payment, 254, request, facts.mint, facts.tokenAccountRent));
  const frame = frameOf(request, facts.mint, facts.addresses.sender, undefined);
  const batch = runSteps(weighBatch(parcels, frame, new Pace()));
  const { scarcest } = runSteps(fewestTransactions(batch, new Pace()));
  const kinds = runSteps(kindsOf(batch, scarcest, new Pace()));
  return { parcels, frame, batch, kinds };
}

const find = ({ batch, kinds }: Weighed): PatternsFound => runSteps(findPatterns(batch, kinds, new Pace()));

const plain = (recipient: number, exists: boolean): TransferParts => {
  return { recipient, exists, amount: 1, memo: undefined, references: [] };
};

// One transfer of each recipient, all of which fit into a transaction by themselves.
const anyFew = fc
  .array(anyTransfer(1), { minLength: 1, maxLength: 7 })
  .map((transfers) => transfers.map((each, recipient) => ({ ...each, recipient })));

function fits(batch: WeighedBatch, kinds: readonly Kind[], counts: readonly number[]): boolean {
  const load = new TransactionLoad(batch);
  return counts.every((count, kind) => (kinds[kind]?.transfers ?? []).slice(0, count).every((each) => load.add(each)));
}

describe('the patterns of transactions', () => {
  it('make all transfers together, and each fits into a transaction', () => {
    fc.assert(
      fc.property(anyFew, (transfers) => {
        const { batch, kinds, ...rest } = weigh(transfers);
        if (!batch.transfers.every((each) => new TransactionLoad(batch).add(each))) return;
        const { patterns } = find({ batch, kinds, ...rest });
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
        assert.ok(find(weighed).bound <= fewestOfAll(weighed.parcels, weighed.frame));
      }),
      { numRuns: 200 },
    );
  });

  it('have a bound of as many transactions as the best patterns fill', () => {
    const { bound, patterns } = find(weigh(Array.from({ length: 300 }, (_, index) => plain(index, index % 2 === 0))));
    assert.ok(bound > 10);
    assert.equal(bound, Math.ceil(patterns.reduce((sum, { times }) => sum + times, 0) - 1e-6));
  });
});

const valuable = (
  { batch, kinds }: Weighed,
  values: readonly number[],
  enough = Number.POSITIVE_INFINITY,
): MostValuable => {
  const sets = runSteps(partSetsOf(batch, kinds, new Pace()));
  assert.ok(sets);
  return runSteps(mostValuable(batch, kinds, sets, values, (value) => value > enough, new Pace()));
};

describe('the most valuable transaction', () => {
  const four = weigh([plain(0, true), plain(1, true), plain(2, false), plain(3, false)]);

  it('has the one kind or the other that is worth most, as often as there is room', () => {
    const first = valuable(four, [1, 0]);
    const second = valuable(four, [0, 1]);
    assert.equal(first.counts[1], 0);
    assert.equal(second.counts[0], 0);
    assert.deepEqual([first.value, second.value], [first.counts[0], second.counts[1]]);
    assert.deepEqual([first.limit, second.limit], [first.value, second.value]);
    assert.ok((second.counts[1] ?? 0) > (first.counts[0] ?? 0), 'the second kind creates nothing');
  });

  it('is not looked for any further where one is worth enough', () => {
    const { value, limit } = valuable(four, [1, 1], 1);
    assert.ok(value > 1);
    assert.equal(limit, undefined);
  });

  it('is worth less than the limit, as any transaction of a few transfers is', () => {
    const worths = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(anyFew, worths, (transfers, worthOf) => {
        const weighed = weigh(transfers);
        const { batch, kinds } = weighed;
        const { limit = 0, value } = valuable(weighed, worthOf.slice(0, kinds.length));
        assert.ok(value <= limit + 1e-6, `${value} of ${limit}`);
        const kindOf = new Map(kinds.flatMap(({ transfers: some }, kind) => some.map((each) => [each, kind])));
        for (let chosen = 1; chosen < 1 << batch.transfers.length; chosen++) {
          const some = batch.transfers.filter((_, index) => (chosen >> index) & 1);
          const load = new TransactionLoad(batch);
          if (!some.every((each) => load.add(each))) continue;
          const worth = some.reduce((sum, each) => sum + (worthOf[kindOf.get(each) ?? -1] ?? 0), 0);
          assert.ok(worth <= limit + 1e-6, `${worth} is above ${limit}`);
        }
      }),
      { numRuns: 200 },
    );
  });
});
