import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { JsonBounds } from '../../src/app/json-bounds.ts';

const [tooDeep, tooManyFields, tooManyValues] = [
  'The body has objects and arrays more than 32 deep.',
  'The body has more than 20000 objects and fields.',
  'The body has more than 500000 values.',
];

test('The depth, the fields and the values of a body are bounded, and what is in strings does not count', () => {
  const fieldsOf = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join()}}`;
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  for (const [text, excess] of [
    [nested(32).repeat(2), undefined],
    [`{"a":"${'[{'.repeat(40)}\\\\\\"${'[{'.repeat(40)}"}`, undefined],
    [nested(33), tooDeep],
    [`"\\\\"${nested(33)}`, tooDeep],
    [`${'{"a":'.repeat(33)}0${'}'.repeat(33)}`, tooDeep],
    [fieldsOf(19_999), undefined],
    [fieldsOf(20_000), tooManyFields],
    [`[${Array(20_000).fill('{}').join()}]`, undefined],
    [`[${Array(20_001).fill('{}').join()}]`, tooManyFields],
    [`[${Array(500_001).fill('1').join()}]`, undefined],
    [`[${Array(500_002).fill('1').join()}]`, tooManyValues],
    [`"${':,'.repeat(600_000)}"`, undefined],
  ] as const) {
    assert.equal(new JsonBounds().excessWith(Buffer.from(text)), excess, text.slice(0, 100));
  }
});

test('A body that arrives in pieces is bounded as one that arrives whole', () => {
  const piece = fc.constantFrom('[', '{"a":', '"', '\\', ']', '}', '"["', 'é', '"\\"{"');
  const pieces = fc.array(piece, { minLength: 30, maxLength: 90 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 40 }), (texts, length) => {
      const bytes = Buffer.from(texts.join(''));
      const bounds = new JsonBounds();
      let excess: string | undefined;
      for (let start = 0; start < bytes.length && excess === undefined; start += length) {
        excess = bounds.excessWith(bytes.subarray(start, start + length));
      }
      assert.equal(excess, new JsonBounds().excessWith(bytes));
    }),
    { numRuns: propertyRuns(500) },
  );
});
