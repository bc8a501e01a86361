import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBase58Codec } from '@solana/kit';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { decodeBase58, encodeBase58 } from '../../src/addresses/base58.ts';
import { anyCharacter } from '../random-plans.ts';

const witness = getBase58Codec();

const bytesWithLeadingZeros = fc
  .tuple(fc.nat({ max: 64 }), fc.uint8Array({ maxLength: 64 }))
  .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest]).subarray(0, 64));

function decoded(text: string): number[] {
  const result = decodeBase58(text);
  assert.ok('bytes' in result, `${text} is refused`);
  return [...result.bytes];
}

test('bytes of any length to 64 encode as the reference codec encodes them', () => {
  const property = fc.property(bytesWithLeadingZeros, (bytes) => {
    assert.equal(encodeBase58(bytes), witness.decode(bytes));
  });
  fc.assert(property, { numRuns: propertyRuns(1000) });
});

test('text decodes as the reference codec decodes it', () => {
  const property = fc.property(bytesWithLeadingZeros, (bytes) => {
    const text = witness.decode(bytes);
    assert.deepEqual(decoded(text), [...witness.encode(text)]);
    assert.deepEqual(decoded(text), [...bytes]);
  });
  fc.assert(property, { numRuns: propertyRuns(1000) });
});

test('texts as long as the largest transactions decode as the reference codec decodes them', () => {
  const long = fc
    .tuple(fc.nat({ max: 4 }), fc.uint8Array({ minLength: 480, maxLength: 4100, size: 'max' }))
    .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest]));
  const property = fc.property(long, fc.nat(), (bytes, place) => {
    const text = witness.decode(bytes);
    assert.deepEqual(decoded(text), [...bytes]);
    const at = place % text.length;
    assert.deepEqual(decodeBase58(`${text.slice(0, at)}0${text.slice(at + 1)}`), { invalidAt: at });
  });
  fc.assert(property, { numRuns: 15 });
  for (const length of [1_000, 5_596]) {
    assert.deepEqual(decoded('1'.repeat(length)), [...new Uint8Array(length)]);
    const text = 'z'.repeat(length);
    assert.deepEqual(decoded(text), [...witness.encode(text)]);
  }
});

test('any text over the alphabet decodes, in whatever groups its digits fall', () => {
  const digit = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
  const property = fc.property(fc.string({ unit: digit, maxLength: 64 }), (text) => {
    assert.deepEqual(decoded(text), [...witness.encode(text)]);
    assert.equal(encodeBase58(Uint8Array.from(decoded(text))), text);
  });
  fc.assert(property, { numRuns: propertyRuns(1000) });
});

test('zero bytes are ones, and nothing is the empty text', () => {
  for (let length = 0; length <= 64; length++) {
    assert.equal(encodeBase58(new Uint8Array(length)), '1'.repeat(length));
    assert.deepEqual(decoded('1'.repeat(length)), [...new Uint8Array(length)]);
  }
});

test('bytes of only ones encode and decode at every length', () => {
  for (let length = 0; length <= 64; length++) {
    const bytes = new Uint8Array(length).fill(0xff);
    assert.equal(encodeBase58(bytes), witness.decode(bytes));
    assert.deepEqual(decoded(encodeBase58(bytes)), [...bytes]);
  }
});

test('the bytes handed in are left as they are', () => {
  const bytes = Uint8Array.of(0, 1, 2, 3, 250);
  encodeBase58(bytes);
  assert.deepEqual([...bytes], [0, 1, 2, 3, 250]);
});

test('the first character outside the alphabet is located', () => {
  const outside = fc.oneof(
    fc.constantFrom('0', 'O', 'I', 'l', ' ', '+', '/', '\u0000', '\u007f', '\u0080', '\u0131', '１', '😀', '\ud800'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }).filter((text) => !/^[1-9A-HJ-NP-Za-km-z]/.test(text)),
  );
  const good = fc.string({ unit: fc.constantFrom(...'19AHJNPZakmz'), maxLength: 40 });
  const property = fc.property(good, outside, fc.string({ maxLength: 5 }), (before, character, after) => {
    assert.deepEqual(decodeBase58(before + character + after), { invalidAt: before.length });
  });
  fc.assert(property, { numRuns: propertyRuns(1000) });
});
