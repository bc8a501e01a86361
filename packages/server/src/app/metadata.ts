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

/** Returns the metadata of a body without faults, in which nothing of it is missing. */
export function readMetadata(values: Readonly<Record<string, string | undefined>> | undefined): Metadata | undefined {
  if (!values) return undefined;
  const texts = Object.entries(values).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  return Object.fromEntries(texts);
}

/** The parameter of a list that asks for one text of the metadata. */
export const metadataQuery = Type.Optional(
  Type.String({
    description: 'Only those with this text in `metadata`: its name, a colon, and the text.',
    pattern: '^[A-Za-z0-9_.-]{1,40}:',
    expected: 'a name, a colon, and a text, such as order:1001',
    examples: ['order:1001'],
  } satisfies SchemaNotes & Record<string, unknown>),
);

/** Returns what is written in the JSON of metadata which has the text that a query names, and in no other. */
export function metadataPair(query: string): string {
  const colon = query.indexOf(':');
  // A name has no character that JSON escapes.
  return `"${query.slice(0, colon)}":${JSON.stringify(query.slice(colon + 1))}`;
}
