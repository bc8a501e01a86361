import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { readPayAmount } from '../../src/links/link-requests.ts';
import { readChosenAmount } from '../../src/links/page/chosen-amount.ts';
import { typedAmountOf } from '../../src/links/page/pay-state.ts';

const words = { least: '5.00 USDC', most: '500.00 USDC' };
const bounds = { ...words, minAmount: 5_000_000n, maxAmount: 500_000_000n, decimals: 6 };
const read = (typed: string): bigint | string => {
  const { amount, fault } = readChosenAmount(typed, bounds);
  return amount ?? fault;
};

/** Every number that a text can mean, as decimal text: each mark is taken as that of decimals, or as that of groups of three. */
function meaningsOf(typed: string): Set<string> {
  const text = typed.trim();
  const meanings = new Set<string>();
  for (const decimalMark of ['.', ',', undefined]) {
    for (const groupMark of ['.', ',', ' ', "'", '’', undefined]) {
      if (groupMark === decimalMark) continue;
      const [whole = '', fraction = '', ...more] = decimalMark === undefined ? [text] : text.split(decimalMark);
      const groups = groupMark === undefined ? [whole] : whole.split(groupMark);
      const [first = '', ...others] = groups;
      const isGrouped = others.length === 0 || (first.length <= 3 && others.every((group) => group.length === 3));
      const areDigits = groups.every((group) => /^[0-9]+$/.test(group)) && /^[0-9]*$/.test(fraction);
      if (more.length > 0 || !isGrouped || !areDigits) continue;
      // Nobody writes groups after a zero.
      if (others.length > 0 && /^0+$/.test(first)) continue;
      const decimals = fraction.replace(/0+$/, '');
      meanings.add(`${BigInt(groups.join(''))}${decimals && `.${decimals}`}`);
    }
  }
  return meanings;
}

describe('an amount that a payer types', () => {
  const wide = { ...words, minAmount: 1n, maxAmount: 10n ** 15n, decimals: 6 };
  const wideRead = (typed: string): bigint | string => {
    const { amount, fault } = readChosenAmount(typed, wide);
    return amount ?? fault;
  };

  it('may have a point, a comma, spaces and zeros at its end', () => {
    for (const typed of ['12.5', '12,50', ' 12.500000 ', '12.5000000000'])
      assert.equal(read(typed), 12_500_000n, typed);
    assert.equal(read('5'), 5_000_000n);
    assert.equal(read('500.'), 500_000_000n);
  });

  it('may have its digits in groups, where they can be nothing else', () => {
    for (const typed of ['1,000.50', '1.000,5', "1'000.5", '1 000,5', '1\u202f000.50', '1000.50', '1000,500'])
      assert.equal(wideRead(typed), 1_000_500_000n, typed);
    for (const typed of ['1,234,567', '1.234.567', '1 234 567', '1,234,567.'])
      assert.equal(wideRead(typed), 1_234_567_000_000n, typed);
    for (const typed of ['0,500', '0.500', '00.500']) assert.equal(wideRead(typed), 500_000n, typed);
  });

  it('is asked for again, with both readings, where it can be read in two ways', () => {
    assert.equal(wideRead('1,000'), '1,000 can mean 1000 or 1. Type 1000 or 1.');
    assert.equal(wideRead('1.000'), '1.000 can mean 1000 or 1. Type 1000 or 1.');
    assert.equal(wideRead(' 12,500 '), '12,500 can mean 12500 or 12.5. Type 12500 or 12.5.');
    assert.equal(wideRead('1,234'), '1,234 can mean 1234 or 1.234. Type 1234 or 1.2340.');
    assert.equal(readChosenAmount('1,234', { ...wide, decimals: 2 }).fault, '1,234 can mean 1234 or 1.234. Type 1234.');
    // Also where only one of them is within the bounds: the payer may mean the other.
    assert.match(String(read('10,000')), /can mean 10000 or 10\./);
  });

  it('is refused in a sentence', () => {
    for (const typed of ['', 'ten', '-5', '1e2', '1,00,000', '1,000,00', '1.000.5', '12 5', '1_000', '0x10', '.5', '٥'])
      assert.match(String(read(typed)), /in digits/, typed);
    assert.equal(read('12.50\u200b'), 'The amount contains U+200B (zero width space) at position 6: remove it.');
    assert.match(String(read('5.0000001')), /At most 6 digits after the point/);
    assert.match(String(read('4.999999')), /^At least 5\.00 USDC\.$/);
    assert.match(String(read('500.000001')), /^At most 500\.00 USDC\.$/);
    assert.equal(readChosenAmount('1.5', { ...bounds, decimals: 0 }).fault, 'Whole amounts only.');
  });

  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom('0', '1', '9', '.', ',', ' '), maxLength: 12 }),
    fc
      .array(fc.tuple(fc.constantFrom('.', ',', ' ', "'", '’', ''), fc.stringMatching(/^[0-9]{1,4}$/)), {
        maxLength: 4,
      })
      .map((parts) =>
        parts
          .flat()
          .join('')
          .replace(/^[^0-9]/, ''),
      ),
    fc.double({ min: 0, max: 700, noNaN: true }).map(String),
  );

  it('is taken as its only reading, or refused in words', () => {
    fc.assert(
      fc.property(texts, (typed) => {
        const own = { ...words, minAmount: 0n, maxAmount: 10n ** 60n, decimals: 20 };
        const { amount, fault } = readChosenAmount(typed, own);
        const meanings = [...meaningsOf(typed)];
        if (amount === undefined) {
          assert.match(fault, /^[0-9A-Z].*\.$/);
          if (meanings.length > 1)
            for (const meaning of meanings) assert.ok(fault.includes(meaning), `${typed}: ${fault}`);
          return;
        }
        assert.equal(meanings.length, 1, `${typed}: ${meanings}`);
        const [whole = '', fraction = ''] = (meanings[0] ?? '').split('.');
        assert.equal(amount, BigInt(whole + fraction.padEnd(20, '0')));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('can be typed as the page tells, and as the page shows it', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(3, 6, 9), (typed, decimals) => {
        const own = { ...words, minAmount: 0n, maxAmount: 10n ** 60n, decimals };
        const { fault } = readChosenAmount(typed, own);
        const ways = / Type (.*)\.$/.exec(fault ?? '')?.[1]?.split(' or ') ?? [];
        const taken = ways.map((way) => readChosenAmount(way, own).amount);
        assert.ok(taken.every((amount) => amount !== undefined) && new Set(taken).size === ways.length, fault);
      }),
      { numRuns: propertyRuns(300) },
    );
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), fc.integer({ min: 0, max: 12 }), (amount, decimals) => {
        const own = { ...words, minAmount: 0n, maxAmount: 10n ** 60n, decimals };
        assert.equal(readChosenAmount(typedAmountOf(amount, decimals), own).amount, amount);
      }),
    );
  });

  it('is sent by the page as the service reads it', () => {
    const decimals = fc.constantFrom(0, 1, 3, 6, 9, 255);
    fc.assert(
      fc.property(texts, decimals, fc.bigInt(1n, 2n ** 64n - 1n), (typed, places, max) => {
        const { amount, decimalText } = readChosenAmount(typed, {
          ...{ ...words, minAmount: 1n, maxAmount: max },
          decimals: places,
        });
        if (decimalText === undefined) return;
        // The page sends it to where wallets send theirs.
        const sent = readPayAmount(new URLSearchParams({ amount: decimalText }), { decimals: places });
        assert.deepEqual(sent, { value: amount });
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
