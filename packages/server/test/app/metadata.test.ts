import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { metadataSchema } from '../../src/app/metadata.ts';
import { compileShape } from '../../src/app/read-shape.ts';
import { closed } from '../../src/app/schema-parts.ts';
import { allFaults } from '../../src/app/validate.ts';

const read = compileShape(Type.Object({ metadata: Type.Optional(metadataSchema) }, closed));
const faultsOf = (metadata: unknown) =>
  allFaults(read({ metadata })).map(({ code, pointer, detail }) => `${code} ${pointer}: ${detail}`);
const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));

describe('metadata', () => {
  it('is up to 20 texts by names of up to 40 characters', () => {
    const all = { ...texts(18), ['a'.repeat(40)]: 'x'.repeat(500), 'order.id_1-A': '"\n\u0000' };
    assert.deepEqual(read({ metadata: all }), { values: { metadata: all }, findings: [], constraints: [] });
  });

  it('names the text that is too long or none', () => {
    assert.deepEqual(faultsOf({ order: 'x'.repeat(501), shop: 1 }), [
      'wrong_type /metadata/shop: metadata/shop is the number 1; send a JSON string: "1".',
      'invalid_value /metadata/order: metadata/order has 501 characters and may have 500.',
    ]);
  });

  it('says which names it takes, and how many', () => {
    const must =
      'metadata must be an object of at most 20 texts, with names of 1 to 40 characters of A-Z a-z 0-9 _ . -.';
    for (const name of ['', 'a b', 'a"b', 'é', 'a'.repeat(41)]) {
      assert.deepEqual(faultsOf({ [name]: '' }), [`invalid_value /metadata: ${must}`], name);
    }
    assert.deepEqual(faultsOf(texts(21)), [`invalid_value /metadata: ${must}`]);
    assert.equal(faultsOf(['a'])[0]?.startsWith('wrong_type /metadata: '), true);
  });
});
