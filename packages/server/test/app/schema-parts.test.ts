import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { validateTransferRequest } from '../../../core/src/decide/validate-transfer-request.ts';
import { parseAmount } from '../../../core/src/request/amount.ts';
import { amountPattern, priorityFeePattern } from '../../src/app/schema-parts.ts';
import { alice, bob, usdc } from './sample-bodies.ts';

const maxUnits = 2n ** 64n - 1n;
const amounts = new RegExp(amountPattern, 'u');
const priorityFees = new RegExp(priorityFeePattern, 'u');

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
      assert.equal(amounts.test(text), 'amount' in parseAmount(text), text);
    }
    fc.assert(
      fc.property(anyText, (text) => amounts.test(text) === 'amount' in parseAmount(text)),
      { numRuns: propertyRuns(1_000) },
    );
  });
});

test('The pattern of a priority fee takes what the parser takes, and nothing else', () => {
  const isTaken = (priorityFee: string): boolean =>
    validateTransferRequest({ ...inputs, priorityFee }).findings.length === 0;
  const inputs = {
    createTokenAccount: 'never' as const,
    from: alice,
    to: bob,
    mint: usdc,
    amount: '1',
    memo: 'invoice 1001',
  };
  for (const text of ['none', 'low', 'medium', 'high', 'None', '', ...edges(maxUnits).map(String)]) {
    assert.equal(priorityFees.test(text), isTaken(text), text);
  }
  fc.assert(fc.property(anyText, (text) => priorityFees.test(text) === isTaken(text)));
});
