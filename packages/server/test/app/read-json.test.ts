import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { readJson } from '../../src/app/read-json.ts';
import { quoteName } from '../../src/app/visible-text.ts';

const read = (text: string): ReturnType<typeof readJson> => readJson(Buffer.from(text));

test('Any JSON value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.nat({ max: 3 }), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      assert.deepEqual(read(spaced), { value: JSON.parse(text) });
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('Any field that appears twice is found, whatever it holds and in any spelling', () => {
  const escaped = (name: string): string =>
    `"${Array.from({ length: name.length }, (_, i) => `\\u${name.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }),
      fc.nat(),
      fc.boolean(),
      (record, index, isEscaped) => {
        const members = Object.entries(record).map(
          ([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value)}`,
        );
        const names = Object.keys(record);
        const name = names[index % names.length] ?? '';
        const again = `${isEscaped ? escaped(name) : JSON.stringify(name)}:0`;
        assert.deepEqual(read(`{${members.join(',')}}`), { value: JSON.parse(`{${members.join(',')}}`) });
        const result = read(`{${[...members, again].join(', ')}}`);
        assert.deepEqual(result, {
          fault: `The body has the field ${quoteName(name)} more than once.`,
        });
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});

test('A field that appears twice is found in an object inside of others, too', () => {
  for (const text of [
    '{"splits":[{"amount":"1","amount":"2"}]}',
    '[[{"a":{},"amount":[{"b":1}],"amount":0}]]',
    '{"a":{"amount":"\\\\","amo\\u0075nt":1}}',
  ]) {
    assert.deepEqual(read(text), { fault: 'The body has the field "amount" more than once.' });
  }
});

test('The same name at another depth or in a string is no second field', () => {
  for (const text of [
    '{"a":{"a":1}}',
    '{"a":[{"a":1},{"a":2}]}',
    '{"a":"\\"a\\":1,{","b":"a"}',
    '[{"a":1},{"a":2}]',
    '{"a":"}","b":"{"}',
  ]) {
    assert.deepEqual(read(text), { value: JSON.parse(text) });
  }
});

test('A body that is not UTF-8 JSON says in one sentence what is wrong, and repeats none of its texts', () => {
  for (const [bytes, fault] of [
    ['', 'The body is empty; it must be a JSON object.'],
    ['{"a":secret', "The body is not valid JSON: Unexpected token 's'."],
    [
      '{\n  "a": 1\n  "b": 2\n}',
      "The body is not valid JSON: Expected ',' or '}' after property value in JSON at position 13 (line 3 column 3).",
    ],
    ['{"a":', 'The body is not valid JSON: Unexpected end of JSON input.'],
    ['\xff', 'The body is not valid UTF-8.'],
    ['{"memo":"\xc0\x80"}', 'The body is not valid UTF-8.'],
    ['{"memo":"\xed\xa0\x80"}', 'The body is not valid UTF-8.'],
    ['{"__proto__":{},"__proto__":{}}', 'The body has the field "__proto__" more than once.'],
  ] as const) {
    assert.deepEqual(readJson(Buffer.from(bytes, 'latin1')), { fault });
  }
});

test('Any text that JSON.parse refuses is refused, and any other is read', () => {
  const near = fc
    .tuple(
      fc.json({ maxDepth: 3 }),
      fc.nat(200),
      fc.nat(3),
      fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ \n0-.eEtu1a'), maxLength: 3 }),
    )
    .map(([json, at, removed, added]) => json.slice(0, at) + added + json.slice(at + removed));
  fc.assert(
    fc.property(near, (text) => {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        assert.ok('fault' in read(text), text);
        return;
      }
      const result = read(text);
      if ('fault' in result) assert.match(result.fault, /empty|more than once/, text);
      else assert.deepEqual(result, { value });
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('The largest body of any route is read, as one long string or with space', () => {
  const size = 2_097_152;
  for (const body of [
    `{"a":"${'x'.repeat(size - 8)}"}`,
    `{"a":"${'\\"'.repeat(size / 2 - 4)}"}`,
    `{"a":1${' '.repeat(size - 7)}}`,
  ]) {
    assert.ok('value' in read(body));
  }
  const twice = `{"a":0,"b":"${'x'.repeat(size - 20)}","a":0}`;
  assert.deepEqual(read(twice), { fault: 'The body has the field "a" more than once.' });
});
