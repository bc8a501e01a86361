import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { parseExactly, RoundedInteger, readU64 } from '../../src/chain/json-values.ts';
import { isAppError } from '../../src/problems.ts';

/** What a reader gets of a number in an answer: parsed plainly, and exactly only where that may have rounded. */
function readAsAnswered(source: string): bigint {
  try {
    return readU64(JSON.parse(source), 'the number');
  } catch (error) {
    if (!(error instanceof RoundedInteger)) throw error;
    return readU64(parseExactly(source), 'the number');
  }
}

test('Every unsigned integer of 64 bits is read exactly', () => {
  const around = (center: bigint) => fc.bigInt({ min: center - 1_000n, max: center + 1_000n });
  const any = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    around(2n ** 53n),
    around(2n ** 63n),
    fc.constantFrom(0n, 2n ** 64n - 1n),
  );
  fc.assert(
    fc.property(any, (value) => assert.equal(readAsAnswered(value.toString()), value)),
    { numRuns: propertyRuns(300) },
  );
});

test('An integer that is a bigint already is read from 0 to below 2^64', () => {
  for (const value of [0n, 1n, 2n ** 64n - 1n]) assert.equal(readU64(value, 'the number'), value);
  for (const value of [-1n, 2n ** 64n]) {
    assert.throws(
      () => readU64(value, 'the number'),
      (error) => isAppError(error, 'upstream_error'),
    );
  }
});

test('What is no unsigned integer of 64 bits is never read as one', () => {
  for (const source of ['-1', '1.5', '"5"', 'null', '[]', '{}', 'true', '-18446744073709551615']) {
    assert.throws(
      () => readAsAnswered(source),
      (error) => isAppError(error, 'upstream_error'),
    );
  }
  for (const source of ['18446744073709551616', '1e30', '99999999999999999999999']) {
    assert.throws(
      () => readAsAnswered(source),
      (error) => isAppError(error, 'upstream_error') || error instanceof RoundedInteger,
    );
  }
});

test('Exact parsing gives what plain parsing gives, but for integers beyond 2^53, wherever they stand', () => {
  const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      integer,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.constantFrom('"lamports":9007199254740993', '9007199254740993', null, true),
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  }));
  fc.assert(
    fc.property(value, (expected) => {
      assert.deepEqual(parseExactly(textOf(expected)), parsedExactly(expected));
    }),
    { numRuns: propertyRuns(300) },
  );
});

function textOf(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, part]) => `${JSON.stringify(key)}: ${textOf(part)}`)
    .join(',')}}`;
}

function parsedExactly(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') {
    const source = textOf(value);
    const isRounded = /^-?[0-9]+$/.test(source) && !Number.isSafeInteger(Number(source));
    return isRounded ? BigInt(source) : Number(source);
  }
  if (Array.isArray(value)) return value.map(parsedExactly);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, parsedExactly(part)]));
}
