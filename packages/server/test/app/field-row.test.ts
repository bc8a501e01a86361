import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { validateTransferRequest } from '../../../core/src/decide/validate-transfer-request.ts';
import { parseAmount } from '../../../core/src/request/amount.ts';
import { decimalPattern } from '../../src/app/field-row.ts';
import { fields } from '../../src/app/field-table.ts';

const maxUnits = 2n ** 64n - 1n;
const amountPattern = new RegExp(fields.amount.pattern, 'u');
const priceFeePattern = new RegExp(fields.priority_fee.pattern, 'u');

/** Numbers on both sides of each place where the pattern goes from one alternative to another. */
function edges(max: bigint): readonly bigint[] {
  const length = max.toString().length;
  const bounds = Array.from({ length: length + 2 }, (_, power) => 10n ** BigInt(power)).flatMap((unit) => [
    unit,
    (max / unit) * unit,
    (max / unit + 1n) * unit,
  ]);
  return [...bounds, max].flatMap((bound) => [bound - 1n, bound, bound + 1n]).filter((value) => value >= 0n);
}

const anyText = fc.oneof(
  fc.bigInt({ min: maxUnits - 10n ** 6n, max: maxUnits + 10n ** 6n }).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 21n }).map(String),
  fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 22 }),
  fc
    .constantFrom(...edges(maxUnits).map(String))
    .chain((text) => fc.constantFrom(text, `0${text}`, `+${text}`, `${text}\n`)),
  fc.string({ maxLength: 22 }),
);

describe('the pattern of an amount in the schema', () => {
  test('takes what the parser takes, and nothing else', () => {
    for (const value of edges(maxUnits)) {
      const text = value.toString();
      assert.equal(amountPattern.test(text), 'amount' in parseAmount(text), text);
    }
    fc.assert(
      fc.property(anyText, (text) => amountPattern.test(text) === 'amount' in parseAmount(text)),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('is exact for any maximum', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.bigInt({ min: 0n, max: 10n ** 21n }), (max, any) => {
        const pattern = new RegExp(`^(?:${decimalPattern(max)})$`);
        return [...edges(max), any].every((value) => pattern.test(`${value}`) === (value >= 1n && value <= max));
      }),
    );
  });
});

test('The pattern of a priority fee takes what the parser takes, and nothing else', () => {
  const isTaken = (priorityFee: string): boolean =>
    validateTransferRequest({ ...inputs, priorityFee }).findings.length === 0;
  const { from_address, to_address, token_mint_address, amount, memo } = fields;
  const inputs = {
    createTokenAccount: 'never' as const,
    from: from_address.example,
    to: to_address.example,
    mint: token_mint_address.example,
    amount: amount.example,
    memo: memo.example,
  };
  for (const text of ['none', 'low', 'medium', 'high', 'None', '', ...edges(maxUnits).map(String)]) {
    assert.equal(priceFeePattern.test(text), isTaken(text), text);
  }
  fc.assert(fc.property(anyText, (text) => priceFeePattern.test(text) === isTaken(text)));
});
