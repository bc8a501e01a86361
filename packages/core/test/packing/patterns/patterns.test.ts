import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { measuresOf } from '../../../src/packing/patterns/measures.ts';
import type { Column } from '../../../src/packing/patterns/pattern-program.ts';
import { findPatterns, type PatternsFound } from '../../../src/packing/patterns/patterns.ts';
import type { Kind } from '../../../src/packing/weights/kinds-of-transfers.ts';
import { Pace, runSteps } from '../../../src/packing/weights/steps.ts';
import { TransactionLoad } from '../../../src/packing/weights/transaction-load.ts';
import type { WeighedBatch } from '../../../src/packing/weights/weigh-batch.ts';
import { fewestOfAll } from '../fewest-of-all.ts';
import { anyFew, plain, type Weighed, weigh } from '../weighed-kinds.ts';

function find({ batch, kinds, choices, fewest }: Weighed): PatternsFound {
  const found = runSteps(findPatterns(batch, { kinds, choices }, [], measuresOf(batch, fewest), new Pace()));
  assert.ok(found, 'there are few sets of parts');
  return found;
}

function fits(batch: WeighedBatch, kinds: readonly Kind[], pattern: Column): boolean {
  const load = new TransactionLoad(batch);
  // A pattern may have more of a kind than there are: any stands for all.
  return pattern.kinds.every((kind, at) => {
    const one = kinds[kind]?.one;
    return one !== undefined && Array.from({ length: pattern.counts[at] ?? 0 }).every(() => load.add(one));
  });
}

function countIn({ kinds, counts }: Column, kind: number): number {
  return counts[kinds.indexOf(kind)] ?? 0;
}

describe('the patterns of transactions', () => {
  it('make all transfers together, and each fits into a transaction', () => {
    fc.assert(
      fc.property(anyFew, (transfers) => {
        const { batch, kinds, ...rest } = weigh(transfers);
        if (!batch.transfers.every((each) => new TransactionLoad(batch).add(each))) return;
        const { patterns } = find({ batch, kinds, ...rest });
        for (const [pattern] of patterns) assert.ok(fits(batch, kinds, pattern));
        for (const [kind, { transfers: some }] of kinds.entries()) {
          const made = patterns.reduce((sum, [pattern, times]) => sum + countIn(pattern, kind) * times, 0);
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
    assert.equal(bound, Math.ceil(patterns.reduce((sum, [, times]) => sum + times, 0) - 1e-6));
  });
});
