import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import type { AmountFault } from '../../src/findings/finding-faults.ts';
import { maxAmount, parseAmount, parseDecimalAmount, resolveAmount, toBaseUnits } from '../../src/request/amount.ts';
import { formatAmount } from '../../src/request/format-amount.ts';
import { anyCharacter } from '../random-plans.ts';

const faults: Readonly<Record<AmountFault, readonly string[]>> = {
  empty: [''],
  white_space: [' 1', '1 ', '1\n', '\t1', '1 000', '1\u00a0000', ' ', '\ufeff1'],
  sign: ['-1', '+1', '-0', '-1.5', '+1e6', '-'],
  exponent: ['1e6', '1E6', '1e+6', '1.5e3', '10e-1', '0e0'],
  not_decimal_base: ['0x10', '0XFF', '0b11', '0o17', '0x'],
  decimal_point: ['1.5', '1.0', '.5', '1.', '0.5', '0.000001'],
  decimal_comma: ['1,5', '0,5', ',5', '1,'],
  digit_grouping: ['1,000', '1,000,000', '1_000', "1'000", '1,000.50', '999,999', '1.000.000', '1,00,000'],
  not_ascii_digits: ['１２３', '١٢٣', '१२३', '1２3', '１.５', '𝟏𝟐'],
  not_a_number: ['abc', 'NaN', 'Infinity', '1n', '½', '²', 'null', '1a', '$5', '−1', '5USDC', '1/2', '😀', '1..2'],
  zero: ['0', '00', '0'.repeat(30)],
  leading_zero: ['01', '007', `0${maxAmount}`, '018446744073709551616'],
  too_large: ['18446744073709551616', '99999999999999999999', '1'.repeat(21), '9'.repeat(1000)],
};

describe('a text that is not an amount is refused with the rule that it breaks', () => {
  for (const [fault, texts] of Object.entries(faults)) {
    test(fault, () => {
      for (const text of texts) assert.deepEqual(parseAmount(text), { fault }, JSON.stringify(text));
    });
  }
});

test('the smallest and the largest amounts are accepted', () => {
  for (const amount of [1n, 2n, 9n, 10n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 10n ** 19n, 2n ** 64n - 1n]) {
    assert.deepEqual(parseAmount(amount.toString()), { amount });
  }
  assert.equal(maxAmount, 18446744073709551615n);
});

test('only plain digits are accepted', () => {
  const numberLike = fc.string({ unit: fc.constantFrom(...'0123456789.,-+eExX_ \n１٣'), maxLength: 24 });
  const property = fc.property(fc.oneof(numberLike, fc.string({ unit: anyCharacter })), (text) => {
    const isPlain = /^[1-9][0-9]*$/.test(text) && text === text.trim() && BigInt(text) < 2n ** 64n;
    assert.equal('amount' in parseAmount(text), isPlain);
  });
  fc.assert(property, { numRuns: propertyRuns(2000) });
});

const maxU64 = 2n ** 64n - 1n;

test('A decimal amount has the base units that its digits say, exactly', () => {
  const property = fc.property(fc.bigInt({ min: 1n, max: maxU64 }), fc.nat({ max: 255 }), (baseUnits, decimals) => {
    const parsed = parseDecimalAmount(formatAmount(baseUnits, decimals));
    assert.ok('amount' in parsed);
    assert.deepEqual(toBaseUnits(parsed.amount, decimals), { baseUnits });
  });
  fc.assert(property, { numRuns: propertyRuns(2000) });
});

test('The longest text that a mint can use is parsed: 20 digits before the point and 255 behind it', () => {
  const text = `${maxU64}.${'0'.repeat(255)}`;
  assert.equal(text.length, 276);
  const parsed = parseDecimalAmount(text);
  assert.ok('amount' in parsed);
  assert.deepEqual(parsed.amount, { digits: maxU64 * 10n ** 255n, fractionDigits: 255 });
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
    ['18446744073709.551615', 6, { baseUnits: maxU64 }],
    ['18446744073709.551616', 6, { fault: { kind: 'too_large', max: maxU64 } }],
    ['1', 20, { fault: { kind: 'too_large', max: maxU64 } }],
    ['1', 255, { fault: { kind: 'too_large', max: maxU64 } }],
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
    { numRuns: propertyRuns(2000) },
  );
});

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
