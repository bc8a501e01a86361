import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readApiDocument } from '../../../test/setup/api-document.ts';
import { makeTypes } from '../types/make-types.ts';
import { apiTypes, typesFile } from '../types/write-types.ts';

describe('the types of requests and replies', () => {
  it('are those that the schemas of the server have: otherwise run `npm run docs`', async () => {
    assert.ok(readFileSync(typesFile, 'utf8') === apiTypes(await readApiDocument()), 'src/api-types.ts is out of date');
  });

  it('follow references, and tell needed members from the others', () => {
    const schemas = {
      Order: {
        type: 'object',
        required: ['item'],
        properties: {
          item: { $ref: '#/components/schemas/Item' },
          note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
      Item: { type: 'object', properties: { kinds: { type: 'array', items: { enum: ['a', 1] } } } },
      Unused: { type: 'string' },
    };
    const text = makeTypes(schemas, ['Order']).replaceAll(/\s+/g, ' ');
    assert.match(text, /export interface Item \{ kinds\?: readonly \('a' \| 1\)\[\]; \}/);
    assert.match(text, /export interface Order \{ item: Item; note\?: string \| null; \}/);
    assert.doesNotMatch(text, /Unused/);
  });

  it('are not made of a schema that is not there, or not understood', () => {
    assert.throws(() => makeTypes({}, ['Order']), /has no schema Order/);
    assert.throws(() => makeTypes({ Order: { type: 'tuple' } }, ['Order']), /the type tuple/);
  });
});
