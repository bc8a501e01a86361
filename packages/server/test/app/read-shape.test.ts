import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { compileShape } from '../../src/app/read-shape.ts';
import { addressPattern, closed, enumeration } from '../../src/app/schema-parts.ts';
import { allFaults } from '../../src/app/validate.ts';

const item = Type.Object({ name: Type.String({ maxLength: 3 }), count: Type.Optional(Type.Integer()) }, closed);
const once = Type.Object({ name: Type.String() }, { reportsUnknownFieldsOnce: true, ...closed });
const schema = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z]+$', minLength: 2, synonyms: ['key'] }),
    amount: Type.Optional(Type.String({ pattern: '^[0-9.]+$', expected: 'a string of tokens' })),
    isDone: Type.Optional(Type.Boolean()),
    level: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
    mode: Type.Optional(enumeration(['legacy', 0])),
    tags: Type.Optional(Type.Array(Type.String(), { uniqueItems: true })),
    modes: Type.Optional(Type.Array(enumeration(['legacy', 'new']))),
    wallets: Type.Optional(Type.Array(Type.String({ pattern: addressPattern }))),
    items: Type.Optional(Type.Array(item, { minItems: 1, maxItems: 2 })),
    others: Type.Optional(Type.Array(once)),
    bytes: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Integer())])),
  },
  closed,
);
const read = compileShape(schema);

function faultsOf(sent: unknown): readonly string[] {
  const shape = read(sent);
  return allFaults(shape).map(({ code, pointer }) => `${code} ${pointer}`);
}

const detailOf = (sent: object): string | undefined => allFaults(read(sent))[0]?.detail;

describe('the shape of what was sent', () => {
  it('is all that is of the right type, and every fault at once', () => {
    const shape = read({ id: 'ab', isDone: 1, items: [{ name: 'long' }, 5, { count: '1' }], tags: ['a', 2], more: 1 });
    assert.deepEqual(shape.values, {
      id: 'ab',
      isDone: undefined,
      items: [{ name: 'long' }, undefined, { count: undefined }],
      tags: undefined,
    });
    assert.deepEqual(
      shape.findings.map(({ code, pointer }) => `${code} ${pointer}`),
      [
        'wrong_type /isDone',
        'wrong_type /items/1',
        'wrong_type /items/2/count',
        'wrong_type /tags/1',
        'unknown_field /more',
        'missing_field /items/2/name',
      ],
    );
    assert.deepEqual(
      shape.constraints.map(({ code, pointer }) => `${code} ${pointer}`),
      ['invalid_value /items/0/name', 'invalid_value /items'].toReversed(),
    );
  });

  it('leaves a field out that is null, unless it is needed', () => {
    assert.deepEqual(read({ id: 'ab', level: null, items: [{ name: 'a', count: null }] }).values, {
      id: 'ab',
      items: [{ name: 'a' }],
    });
    assert.deepEqual(faultsOf({ id: null }), ['wrong_type /id']);
  });

  it('has one fault for each place, whatever a value breaks', () => {
    assert.deepEqual(faultsOf({ id: '' }), ['invalid_value /id']);
    assert.deepEqual(faultsOf({ id: 'ab', level: 9 }), ['invalid_value /level']);
    assert.deepEqual(faultsOf({ id: 'ab', level: 1.5 }), ['invalid_value /level']);
    assert.deepEqual(faultsOf({ id: 'ab', level: '1' }), ['wrong_type /level']);
    assert.deepEqual(faultsOf({ id: 'ab', mode: 1 }), ['invalid_value /mode']);
    assert.deepEqual(faultsOf({ id: 'ab', tags: ['a', 'a'] }), ['invalid_value /tags']);
    assert.deepEqual(faultsOf({ id: 'ab', bytes: {} }), ['wrong_type /bytes']);
    for (const sent of [null, [], 'x', 1]) assert.deepEqual(faultsOf(sent), ['wrong_type ']);
  });

  it('says which field is meant by an unknown one, and reports those of an object in a long list once', () => {
    assert.equal(
      detailOf({ id: 'ab', amonut: '1' }),
      '"amonut" is not a field of this operation. Did you mean amount?',
    );
    assert.equal(detailOf({ id: 'ab', Key: '1' }), '"Key" is not a field of this operation. Did you mean id?');
    assert.deepEqual(faultsOf({ id: 'ab', others: [{ name: 'a', b: 1, c: 2 }] }), ['unknown_field /others/0']);
  });

  it('answers a number in place of a text with the text to send, unless it may have lost digits or is no value of the field', () => {
    assert.equal(detailOf({ id: 'ab', amount: 1.5 }), 'amount is the number 1.5; send a string of tokens: "1.5".');
    assert.equal(
      detailOf(JSON.parse('{"id":"ab","amount":9007199254740993}')),
      'amount is a number and must be a string of tokens.',
    );
    assert.equal(detailOf({ id: 7 }), 'id is a number and must be a JSON string.');
  });

  it('says of one entry of a list what that entry must be', () => {
    assert.equal(detailOf({ id: 'ab', modes: ['legacy', 'old'] }), 'modes/1 must be one of "legacy", "new".');
    assert.equal(detailOf({ id: 'ab', wallets: ['SOL'] }), 'wallets/0 must be an address, as a JSON string.');
  });

  it('describes no more faults of a huge body than a refusal lists, and one', () => {
    const bytes = Array.from({ length: 1_000 }, (_, index) => index);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, 1]));
    const { findings } = read({ ...many, id: 'ab', bytes: [...bytes, 'x'], items: bytes });
    assert.equal(findings.filter(({ code }) => code === 'unknown_field').length, 101);
    const others = Array.from({ length: 100 }, () => ({ name: 1 }));
    assert.equal(read({ id: 'ab', items: others.slice(0, 2), others: [...others, ...others] }).findings.length, 101);
  });

  it('is of the query with whole numbers read from their texts', () => {
    const readQuery = compileShape(Type.Object({ level: schema.properties.level }, closed), 'query');
    assert.deepEqual(readQuery({ level: '5' }).values, { level: 5 });
    for (const level of ['', '01', '1.5', ' 1', ['1', '2']]) {
      assert.deepEqual(
        readQuery({ level }).findings.map(({ code, pointer }) => `${code} ${pointer}`),
        ['invalid_value /level'],
      );
    }
  });
});
