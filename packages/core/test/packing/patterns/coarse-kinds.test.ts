import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { coarsen } from '../../../src/packing/patterns/coarse-kinds.ts';
import type { Kind } from '../../../src/packing/weights/kinds-of-transfers.ts';
import { plain, type Weighed, weigh } from '../weighed-kinds.ts';

// Of many sizes, with and without an account to create.
const manyKinds = (memoLengths: readonly number[]): Weighed =>
  weigh(memoLengths.map((length, index) => ({ ...plain(index, index % 2 === 0), memo: 'm'.repeat(length) })));
const lengths = fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 120 });

const sizesOf = ({ one }: Kind): readonly number[] => [one.bytes, one.computeUnits, one.memoComputeUnits ?? 0];

describe('kinds of nearly the same size', () => {
  it('become one until there are few enough, with all their transfers, no larger than the least and no smaller than the most', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 2, max: 40 }), (memoLengths, maxCount) => {
        const { kinds } = manyKinds(memoLengths);
        const coarse = coarsen([kinds], maxCount);
        assert.ok(coarse);
        const { least, most } = coarse;
        assert.ok(most.length <= maxCount && least.length === most.length);
        const kindOf = new Map(kinds.flatMap((kind) => kind.transfers.map((transfer) => [transfer, kind])));
        const seen = new Set<unknown>();
        for (const [index, { transfers, one }] of most.entries()) {
          const small = least[index];
          assert.ok(small);
          assert.deepEqual(small.transfers, transfers);
          for (const transfer of transfers) {
            const kind = kindOf.get(transfer);
            assert.ok(kind && !seen.has(transfer));
            seen.add(transfer);
            assert.equal(kind.one.creates, one.creates);
            assert.deepEqual(kind.one.shared, one.shared);
            for (const [at, size] of sizesOf(kind).entries()) {
              assert.ok((sizesOf(small)[at] ?? 0) <= size && size <= (sizesOf({ ...small, one })[at] ?? 0));
            }
          }
        }
        assert.equal(seen.size, memoLengths.length);
      }),
      { numRuns: 300 },
    );
  });

  it('stay what they are where they are few', () => {
    const { kinds } = manyKinds([10, 20, 20, 30]);
    const coarse = coarsen([kinds], kinds.length);
    assert.deepEqual(new Set(coarse?.most.map(({ one }) => one)), new Set(kinds.map(({ one }) => one)));
  });

  it('stay apart where they are of different classes', () => {
    const classes = [manyKinds([10, 12, 14]).kinds, manyKinds([11, 13, 15]).kinds];
    const coarse = coarsen(classes, 4);
    assert.ok(coarse);
    for (const { transfers } of coarse.least) {
      const ofFirst = transfers.filter((each) => classes[0]?.some((kind) => kind.transfers.includes(each)));
      assert.ok(ofFirst.length === 0 || ofFirst.length === transfers.length);
    }
    assert.equal(coarsen(classes, 3), undefined);
  });

  it('are left alone where they differ in more than their size', () => {
    assert.equal(coarsen([manyKinds([10, 20]).kinds], 1), undefined);
  });
});
