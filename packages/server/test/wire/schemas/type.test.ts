import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from '../../../src/wire/schemas/type.ts';

const about = { description: 'What it is.', examples: ['a'] };

/** One schema of every kind, without and with further keywords, in the order in which they are published. */
function schemasOf(builder: typeof Type): unknown {
  const text = builder.String(about);
  return [
    builder.Array(text),
    builder.Array(text, { maxItems: 3 }),
    builder.Boolean(),
    builder.Boolean(about),
    builder.Integer(),
    builder.Integer({ minimum: 0 }),
    builder.Null(),
    builder.Null(about),
    builder.Number(),
    builder.Number({ minimum: 0 }),
    builder.Object({}),
    builder.Object({ text, later: builder.Optional(text), other: builder.Boolean() }, about),
    builder.Object({ later: builder.Optional(builder.Object({ text })) }, { additionalProperties: false }),
    builder.Optional(text),
    builder.Record(builder.String(), text),
    builder.Record(builder.String(), text, about),
    builder.String(),
    builder.Union([text, builder.Null()]),
    builder.Union([text, builder.Null()], about),
    builder.Unsafe({ type: 'string', enum: ['a', 'b'] }),
  ];
}

describe('the schemas of the wire', () => {
  it('are those that TypeBox makes, keyword by keyword', () => {
    assert.equal(JSON.stringify(schemasOf(Type)), JSON.stringify(schemasOf(TypeBox)));
  });

  it('are required again where an optional one was made from them', () => {
    const text = Type.String();
    Type.Optional(text);
    assert.deepEqual(Type.Object({ text }).required, ['text']);
  });
});
