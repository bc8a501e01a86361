import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { noPause } from '../../../core/src/batch/pause.ts';
import { describeJsonFault } from '../../src/app/json-fault.ts';
import { readJson } from '../../src/app/read-json.ts';
import { quoteName } from '../../src/app/visible-text.ts';

const read = (text: string): ReturnType<typeof readJson> => readJson(Buffer.from(text));

test('Any JSON value is read as JSON.parse reads it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 5 }), fc.nat({ max: 3 }), async (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      assert.deepEqual(await read(spaced), { value: JSON.parse(text) });
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('Any field that appears twice is found, whatever it holds and in any spelling', async () => {
  const escaped = (name: string): string =>
    `"${Array.from({ length: name.length }, (_, i) => `\\u${name.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }),
      fc.nat(),
      fc.boolean(),
      async (record, index, isEscaped) => {
        const members = Object.entries(record).map(
          ([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value)}`,
        );
        const names = Object.keys(record);
        const name = names[index % names.length] ?? '';
        const again = `${isEscaped ? escaped(name) : JSON.stringify(name)}:0`;
        assert.deepEqual(await read(`{${members.join(',')}}`), { value: JSON.parse(`{${members.join(',')}}`) });
        const result = await read(`{${[...members, again].join(', ')}}`);
        assert.deepEqual(result, {
          fault: `The body has the field ${quoteName(name)} more than once.`,
        });
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});

test('A field that appears twice is found in an object inside of others, too', async () => {
  for (const text of [
    '{"splits":[{"amount":"1","amount":"2"}]}',
    '[[{"a":{},"amount":[{"b":1}],"amount":0}]]',
    '{"a":{"amount":"\\\\","amo\\u0075nt":1}}',
  ]) {
    assert.deepEqual(await read(text), { fault: 'The body has the field "amount" more than once.' });
  }
});

test('The same name at another depth or in a string is no second field', async () => {
  for (const text of [
    '{"a":{"a":1}}',
    '{"a":[{"a":1},{"a":2}]}',
    '{"a":"\\"a\\":1,{","b":"a"}',
    '[{"a":1},{"a":2}]',
    '{"a":"}","b":"{"}',
  ]) {
    assert.deepEqual(await read(text), { value: JSON.parse(text) });
  }
});

test('A body that is not UTF-8 JSON says in one sentence what is wrong, and repeats none of it', async () => {
  for (const [bytes, fault] of [
    ['', 'The body is empty; it must be a JSON object.'],
    ['{"a":secret', 'The body is not valid JSON: at line 1, column 6 there is "s" where JSON has a value.'],
    ['\xff', 'The body is not valid UTF-8.'],
    ['{"memo":"\xc0\x80"}', 'The body is not valid UTF-8.'],
    ['{"memo":"\xed\xa0\x80"}', 'The body is not valid UTF-8.'],
    ['{"__proto__":{},"__proto__":{}}', 'The body has the field "__proto__" more than once.'],
  ] as const) {
    assert.deepEqual(await readJson(Buffer.from(bytes, 'latin1')), { fault });
  }
});

test('A text that is not JSON is refused with the line and the column, what is there, and what JSON has there', async () => {
  for (const [text, place] of [
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3 there is a double quote where JSON has a comma, or }'],
    ['{"a": "1",\r\n}', 'line 2, column 1 there is "}" where JSON has the name of a field in double quotes'],
    ["{'a': 1}", `line 1, column 2 there is "'" where JSON has the name of a field in double quotes, or }`],
    ['{"a" 1}', 'line 1, column 6 there is "1" where JSON has a colon'],
    ['[1, 2', 'line 1, column 6 it ends where JSON has a comma, or ]'],
    ['{"a": tru}', 'line 1, column 7 there is "t" where JSON has a value'],
    ['[,', 'line 1, column 2 there is "," where JSON has a value, or ]'],
    ['{}\n😀', 'line 2, column 1 there is "😀" where JSON has the end'],
    ['{"a": "b\n"}', 'line 1, column 9 there is "\\n" within a text, where JSON has an escape such as \\n or \\\\'],
    ['{"a": "\\x"}', 'line 1, column 8 there is "\\\\" within a text, where JSON has an escape such as \\n or \\\\'],
    ['{"a": "b', 'line 1, column 9 it ends within a text'],
  ] as const) {
    assert.deepEqual(await read(text), { fault: `The body is not valid JSON: at ${place}.` });
  }
});

test('Any text has a place where it stops being JSON exactly when JSON.parse refuses it, and not before what can go on', async () => {
  const near = fc
    .tuple(
      fc.json({ maxDepth: 3 }),
      fc.nat(200),
      fc.nat(3),
      fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ \n0-.eEtu1a'), maxLength: 3 }),
    )
    .map(([json, at, removed, added]) => json.slice(0, at) + added + json.slice(at + removed));
  await fc.assert(
    fc.asyncProperty(fc.oneof(near, fc.json()), async (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      assert.equal((await describeJsonFault(text, noPause)) === undefined, isJson, text);
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('The place of a fault in the largest body is found in turns, be the body nested, one long string or white space', async () => {
  const size = 2_097_152;
  const texts = [
    '['.repeat(size),
    `{"a":"${'x'.repeat(size)}`,
    `"${'\\n'.repeat(size / 2)}`,
    ' '.repeat(size),
    `${'1'.repeat(size)}.`,
  ];
  for (const text of texts) {
    let pauseCount = 0;
    const fault = await describeJsonFault(text, async () => {
      pauseCount += 1;
    });
    assert.match(fault ?? '', /line 1, column 209715[0-9]+ /);
    assert.equal(pauseCount, text.startsWith('[') ? Math.floor(size / 50_000) : 0);
  }
});

test('The largest body of any route is read, be it nested or one long string', async () => {
  const size = 2_097_152;
  const nested = '['.repeat(size / 2) + ']'.repeat(size / 2);
  const bodies = [
    `{"a":"${'x'.repeat(size - 8)}"}`,
    `{"a":"${'\\"'.repeat(size / 2 - 4)}"}`,
    `{"a":1${' '.repeat(size - 7)}}`,
  ];
  for (const body of bodies) assert.ok('value' in (await read(body)));
  assert.ok('value' in (await read(nested)));
  const twice = `{"a":0,"b":"${'x'.repeat(size - 20)}","a":0}`;
  assert.deepEqual(await read(twice), { fault: 'The body has the field "a" more than once.' });
});

test('Long work on a body is done in turns, and to the same value', async () => {
  const body = Array.from({ length: 20_000 }, (_, index) => ({ '\u00e4\n': `${index}`, amount: '1' }));
  let pauseCount = 0;
  const text = JSON.stringify(body);
  const value = await readJson(Buffer.from(text), async () => {
    pauseCount += 1;
  });
  assert.deepEqual(value, { value: body });
  // After `JSON.parse`, and after each quarter of a MiB of characters.
  assert.equal(pauseCount, 1 + Math.floor(text.length / 262_144));
});
