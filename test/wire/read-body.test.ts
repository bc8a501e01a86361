import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fieldSchemas, paths } from '../../src/wire/fields.ts';
import { readBody } from '../../src/wire/read-body.ts';
import { createBody, memoBody, yidBody } from '../http/sample-bodies.ts';

const texts = { from_address: 'a', to_address: 'b', token_mint_address: 'c', amount: 'd' };

test('The path and the fields choose the operation, and the texts are passed on as they are', () => {
  const read = (path: (typeof paths)[keyof typeof paths], body: object): unknown => readBody(path, body);
  assert.deepEqual(read(paths.memoTransfer, { ...texts, memo: ' ' }), {
    kind: 'memo_transfer',
    texts: { ...texts, memo: ' ' },
    findings: [],
  });
  assert.deepEqual(read(paths.memoTransfer, { ...texts, yid: '' }), {
    kind: 'yid_transfer',
    texts: { ...texts, yid: '' },
    findings: [],
  });
  assert.deepEqual(read(paths.createTransfer, texts), { kind: 'create_transfer', texts, findings: [] });
});

test('No value at all makes it throw, and only an object of exactly the known fields as strings is without a finding', () => {
  const names = fc.oneof(
    fc.constantFrom(...Object.keys(fieldSchemas)),
    fc.string(),
    fc.constantFrom('__proto__', 'toString'),
  );
  const member = fc.tuple(
    names,
    fc.oneof({ weight: 4, arbitrary: fc.string() }, { weight: 1, arbitrary: fc.jsonValue() }),
  );
  const mutated = fc
    .tuple(
      fc.constantFrom(createBody, memoBody, yidBody),
      fc.array(member, { maxLength: 3 }),
      fc.subarray(Object.keys(yidBody)),
    )
    .map(([body, members, dropped]) => {
      const kept = Object.entries(body).filter(([name]) => !dropped.includes(name));
      return Object.fromEntries([...kept, ...members]);
    });
  const isFit = (path: string, body: unknown): boolean => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
    if (!Object.values(body).every((value) => typeof value === 'string')) return false;
    const present = Object.keys(body).sort().join();
    const fit = path === paths.createTransfer ? [createBody] : [memoBody, yidBody];
    return fit.some((sample) => Object.keys(sample).sort().join() === present);
  };
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(paths)), fc.oneof(mutated, fc.jsonValue()), (path, body) => {
      assert.equal(readBody(path, body).findings.length === 0, isFit(path, body), JSON.stringify(body));
    }),
    { numRuns: 2000 },
  );
});
