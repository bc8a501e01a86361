import { type Static, Type } from 'typebox';
import type { SchemaNotes } from './schema-parts.ts';

/** The texts that a caller keeps with an object, by name. They are on no page and not on chain. */
export const metadataSchema = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  component: 'Metadata',
  description:
    'Your own texts, such as the number of an order, by name: at most 20, with names of 1 to 40 characters of ' +
    '`A-Z a-z 0-9 _ . -` and values of up to 500 characters. Only your API key reads them.',
  additionalProperties: { type: 'string', maxLength: 500 },
  propertyNames: { pattern: '^[A-Za-z0-9_.-]{1,40}$' },
  maxProperties: 20,
  expected: 'an object of at most 20 texts, with names of 1 to 40 characters of A-Z a-z 0-9 _ . -',
  examples: [{ order: '1001' }],
} satisfies SchemaNotes & Record<string, unknown>);

export type Metadata = Static<typeof metadataSchema>;
