import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AmountFault } from '../../src/findings/finding-faults.ts';
import { maxAmount, parseAmount } from '../../src/request/amount.ts';
import { anyCharacter } from '../random-text.ts';

const faults: Readonly<Record<AmountFault, readonly string[]>> = {
  empty: [''],
  white_space: [' 1', '1 ', '1\n', '\t1', '1 000', '1\u00a0000', ' ', '\ufeff1'],
  sign: ['-1', '+1', '-0', '-1.5', '+1e6', '-'],
  exponent: ['1e6', '1E6', '1e+6', '1.5e3', '10e-1', '0e0'],
  not_decimal_base: ['0x10', '0XFF', '0b11', '0o17', '0x'],
  decimal_point: ['1.5', '1.0', '.5', '1.', '0.5', '1,5', '0.000001'],
  digit_grouping: ['1,000', '1,000,000', '1_000', "1'000", '1,000.50', '999,999'],
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

test('numbers grouped as in other countries are refused as grouped, not for their digits', () => {
  assert.deepEqual(parseAmount('1.000.000'), { fault: 'digit_grouping' });
  assert.deepEqual(parseAmount('1,00,000'), { fault: 'digit_grouping' });
});

test('the smallest and the largest amounts are accepted', () => {
  for (const amount of [1n, 2n, 9n, 10n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 10n ** 19n, 2n ** 64n - 1n]) {
    assert.deepEqual(parseAmount(amount.toString()), { amount });
  }
  assert.equal(maxAmount, 18446744073709551615n);
});

test('every amount that a token account can hold goes to text and back', () => {
  const property = fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), (amount) => {
    assert.deepEqual(parseAmount(amount.toString()), { amount });
  });
  fc.assert(property, { numRuns: 1000 });
});

test('every number above the largest amount is too large', () => {
  const property = fc.property(fc.bigInt({ min: 2n ** 64n, max: 2n ** 512n }), (number) => {
    assert.deepEqual(parseAmount(number.toString()), { fault: 'too_large' });
  });
  fc.assert(property);
});

test('only plain digits are accepted', () => {
  const numberLike = fc.string({ unit: fc.constantFrom(...'0123456789.,-+eExX_ \n１٣'), maxLength: 24 });
  const property = fc.property(fc.oneof(numberLike, fc.string({ unit: anyCharacter })), (text) => {
    const isPlain = /^[1-9][0-9]*$/.test(text) && text === text.trim() && BigInt(text) < 2n ** 64n;
    assert.equal('amount' in parseAmount(text), isPlain);
  });
  fc.assert(property, { numRuns: 2000 });
});
