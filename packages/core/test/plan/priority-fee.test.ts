import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkPriorityFee } from '../../src/decide/check-plan.ts';
import { highestPrice, leastPriorityFee, priceOfLevel, priorityFeeOf } from '../../src/plan/compute-budget.ts';
import { freshWallet, requestOf } from '../chain-accounts.ts';
import { memoOf } from '../random-plans.ts';

const anyLimit = fc.integer({ min: 1, max: 1_400_000 });
const anyPrice = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 10n ** 6n }));

test('A priority fee is price times limit in lamports, rounded up', () => {
  const table: readonly [price: bigint, limit: number, lamports: bigint][] = [
    [0n, 1_400_000, 0n],
    [1n, 1, 1n],
    [1n, 1_000_000, 1n],
    [1n, 1_000_001, 2n],
    [25_000n, 66_400, 1660n],
    [25_000n, 66_401, 1661n],
    [1_000_000n, 46_900, 46_900n],
    [2n ** 64n - 1n, 1_400_000, 25_825_441_703_193_372_261n],
  ];
  for (const [price, limit, lamports] of table) assert.equal(priorityFeeOf(price, limit), lamports);
});

test('The highest price is within the maximum, and the next one is not', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999n }), anyLimit, (maximum, limit) => {
      const price = highestPrice(maximum, limit);
      assert.ok(priorityFeeOf(price, limit) <= maximum);
      assert.ok(priorityFeeOf(price + 1n, limit) > maximum);
    }),
  );
});

test('The price of a level', async (t) => {
  const percentiles = [
    ['low', 25n],
    ['medium', 50n],
    ['high', 90n],
  ] as const;

  await t.test('is the 25th, 50th or 90th percentile, in whatever order the prices come', () => {
    const prices = Array.from({ length: 101 }, (_, index) => BigInt((index * 37) % 101));
    for (const [level, price] of percentiles) {
      assert.equal(priceOfLevel(level, prices), price);
      assert.equal(priceOfLevel(level, prices.toReversed()), price);
    }
  });

  await t.test('of a hundred prices has just its share of them below it', () => {
    const prices = Array.from({ length: 100 }, (_, index) => BigInt((index * 37) % 100));
    for (const [level, price] of percentiles) assert.equal(priceOfLevel(level, prices), price);
  });

  await t.test('is 0 when no price was paid, and the one price when there was only one', () => {
    for (const [level] of percentiles) {
      assert.equal(priceOfLevel(level, []), 0n);
      assert.equal(priceOfLevel(level, [0n, 0n, 0n]), 0n);
      assert.equal(priceOfLevel(level, [77n]), 77n);
    }
  });

  await t.test('is one of the prices: at least that share paid no more, and at most the rest paid more', () => {
    fc.assert(
      fc.property(fc.array(anyPrice, { minLength: 1, maxLength: 150 }), (prices) => {
        const before = [...prices];
        for (const [level, percent] of percentiles) {
          const price = priceOfLevel(level, prices);
          const notAbove = BigInt(prices.filter((other) => other <= price).length);
          const above = BigInt(prices.length) - notAbove;
          assert.ok(prices.includes(price));
          assert.ok(notAbove * 100n >= percent * BigInt(prices.length));
          assert.ok(above * 100n <= (100n - percent) * BigInt(prices.length));
        }
        assert.deepEqual(prices, before);
      }),
    );
  });

  await t.test('compares past 2^53 exactly', () => {
    const near = 2n ** 60n;
    assert.equal(priceOfLevel('medium', [near + 2n, near, near + 1n]), near + 1n);
  });
});

test('A priority fee is refused only above the maximum', () => {
  assert.equal(checkPriorityFee(1_000_000n, 1_000_000n), undefined);
  assert.equal(checkPriorityFee(0n, 0n), undefined);
  assert.deepEqual(checkPriorityFee(1_000_001n, 1_000_000n), {
    code: 'priority_fee_too_high',
    field: 'priorityFee',
    context: { priorityFee: 1_000_001n, isLeast: false, max: 1_000_000n },
  });
});

test('Whatever the mint is, a priority fee is no less than that of the cheapest transfer of its kind', () => {
  // One lamport for each compute unit.
  const priorityFee = { microLamportsPerComputeUnit: 1_000_000n };
  const plain = 40_000n + 600n + 4_600n;
  const memo = memoOf('hello');
  const split = { to: freshWallet(), amount: 1n };
  for (const [parts, least] of [
    [{}, plain],
    [{ createTokenAccount: 'if_missing' }, plain],
    [{ createTokenAccount: 'always' }, plain + 4_600n],
    [{ memo }, plain + BigInt(memo.computeUnits)],
    [{ splits: [split, split] }, plain + 2n * 4_600n],
    [{ splits: [split, split], createTokenAccount: 'always' }, plain + 3n * 4_600n],
  ] as const) {
    const request = requestOf({ priorityFee, ...parts });
    assert.equal(leastPriorityFee(request), least);
    assert.equal(checkPriorityFee(least, least, true), undefined);
    assert.deepEqual(checkPriorityFee(least, least - 1n, true), {
      code: 'priority_fee_too_high',
      field: 'priorityFee',
      context: { priorityFee: least, isLeast: true, max: least - 1n },
    });
  }
});

test('The least of a level is nothing, as of no priority fee', () => {
  assert.equal(leastPriorityFee(requestOf()), 0n);
  assert.equal(leastPriorityFee(requestOf({ priorityFee: { level: 'high' } })), 0n);
});
