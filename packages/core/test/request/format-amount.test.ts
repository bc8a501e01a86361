import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatAmount } from '../../src/request/format-amount.ts';

test('base units are written as decimal tokens', () => {
  const cases: [bigint, number, string][] = [
    [1_500_000n, 6, '1.5'],
    [1_000_000n, 6, '1'],
    [1n, 6, '0.000001'],
    [0n, 6, '0'],
    [0n, 0, '0'],
    [15n, 0, '15'],
    [10n, 1, '1'],
    [2n ** 64n - 1n, 9, '18446744073.709551615'],
    [1n, 255, `0.${'0'.repeat(254)}1`],
  ];
  for (const [amount, decimals, text] of cases) assert.equal(formatAmount(amount, decimals), text);
});

test('the text holds every digit of the amount', () => {
  const property = fc.property(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.nat({ max: 255 }),
    (amount, decimals) => {
      const text = formatAmount(amount, decimals);
      assert.match(text, /^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/);
      const [whole = '', fraction = ''] = text.split('.');
      assert.equal(BigInt(whole + fraction.padEnd(decimals, '0')), amount);
    },
  );
  fc.assert(property);
});
