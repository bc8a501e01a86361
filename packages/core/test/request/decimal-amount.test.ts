import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseDecimalAmount, resolveAmount, toBaseUnits } from '../../src/request/amount.ts';
import { formatAmount } from '../../src/request/format-amount.ts';

const maxAmount = 2n ** 64n - 1n;

test('A decimal amount has the base units that its digits say, exactly', () => {
  const property = fc.property(fc.bigInt({ min: 1n, max: maxAmount }), fc.nat({ max: 255 }), (baseUnits, decimals) => {
    const parsed = parseDecimalAmount(formatAmount(baseUnits, decimals));
    assert.ok('amount' in parsed);
    assert.deepEqual(toBaseUnits(parsed.amount, decimals), { baseUnits });
  });
  fc.assert(property, { numRuns: 2000 });
});

test('The longest text that a mint can use is parsed: 20 digits before the point and 255 behind it', () => {
  const text = `${maxAmount}.${'0'.repeat(255)}`;
  assert.equal(text.length, 276);
  const parsed = parseDecimalAmount(text);
  assert.ok('amount' in parsed);
  assert.deepEqual(parsed.amount, { digits: maxAmount * 10n ** 255n, fractionDigits: 255 });
});

test('Base units stay as they are whatever the decimals, and a decimal amount is multiplied', () => {
  const fault = { kind: 'too_many_digits', fractionDigits: 1 };
  for (const decimals of [0, 6]) {
    assert.deepEqual(resolveAmount(15n, decimals), { baseUnits: 15n });
    const ofTokens = resolveAmount({ digits: 15n, fractionDigits: 1 }, decimals);
    assert.deepEqual(ofTokens, decimals === 0 ? { fault } : { baseUnits: 1_500_000n });
  }
});

test('Zeros behind the point count as digits: a mint must have as many decimals', () => {
  const parsed = parseDecimalAmount('1.50');
  assert.ok('amount' in parsed);
  assert.deepEqual(toBaseUnits(parsed.amount, 2), { baseUnits: 150n });
  assert.deepEqual(toBaseUnits(parsed.amount, 1), {
    fault: { kind: 'too_many_digits', fractionDigits: 2 },
  });
});

test('An amount is refused from the first base unit on that no token account can hold', () => {
  for (const [text, decimals, expected] of [
    ['18446744073709.551615', 6, { baseUnits: maxAmount }],
    ['18446744073709.551616', 6, { fault: { kind: 'too_large', max: maxAmount } }],
    ['1', 20, { fault: { kind: 'too_large', max: maxAmount } }],
    ['1', 255, { fault: { kind: 'too_large', max: maxAmount } }],
  ] as const) {
    const parsed = parseDecimalAmount(text);
    assert.ok('amount' in parsed);
    assert.deepEqual(toBaseUnits(parsed.amount, decimals), expected);
  }
});

describe('A text that is no decimal amount is refused with what is wrong', () => {
  for (const [text, fault] of [
    ['', 'empty'],
    [' 1.5', 'white_space'],
    ['1.5\n', 'white_space'],
    ['-1.5', 'sign'],
    ['+1', 'sign'],
    ['1e6', 'exponent'],
    ['1.5e-3', 'exponent'],
    ['01.5', 'leading_zero'],
    ['00', 'leading_zero'],
    ['.5', 'incomplete_point'],
    ['1.', 'incomplete_point'],
    ['.', 'incomplete_point'],
    ['1,5', 'decimal_comma'],
    ['1,000,000', 'digit_grouping'],
    ['1_000.5', 'digit_grouping'],
    ['１.５', 'not_ascii_digits'],
    ['0x10', 'not_a_number'],
    ['abc', 'not_a_number'],
    ['1.5.2', 'not_a_number'],
    ['0', 'zero'],
    ['0.000', 'zero'],
    ['1'.repeat(277), 'too_long'],
    ['x'.repeat(276), 'not_a_number'],
  ] as const) {
    test(`${JSON.stringify(text.slice(0, 20))}: ${fault}`, () => {
      assert.deepEqual(parseDecimalAmount(text), { fault });
    });
  }
});

test('Any text is parsed or refused, never thrown at', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('0', '1', '.', ',', '-', 'e', ' ') }));
  fc.assert(
    fc.property(text, (each) => {
      const parsed = parseDecimalAmount(each);
      assert.equal('amount' in parsed, /^(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(each) && /[1-9]/.test(each));
    }),
    { numRuns: 2000 },
  );
});
