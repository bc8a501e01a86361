import type { TSchema } from 'typebox';
import type { SchemaNotes } from '../packages/server/src/app/schema-parts.ts';
import { batchBody, tokenTransferBody, transferBody } from '../packages/server/src/transfers/transfer-schema.ts';

const begin = '<!-- options: written by `npm run docs` from packages/server/src/transfers/transfer-schema.ts -->\n';
const end = '<!-- end of options -->\n';

/** The text of `docs/api.md` with the table of options between its two markers. Throws when a marker is missing. */
export function withOptionsTable(text: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('docs/api.md has lost a marker of its options');
  return `${before}${begin}\n${optionsTable()}\n${end}${after}`;
}

interface FieldSchema extends SchemaNotes {
  type?: string;
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
}

function optionsTable(): string {
  const fields: Readonly<Record<string, TSchema>> = {
    ...tokenTransferBody.properties,
    ...transferBody.properties,
    ...batchBody.properties,
  };
  const rows = Object.entries(fields).flatMap(([name, schema]) => {
    const { manual, ...field }: FieldSchema = schema;
    return manual === undefined ? [] : [tableRow(name, field, manual)];
  });
  return `| field | default | meaning | bytes | round trips |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function tableRow(name: string, field: FieldSchema, manual: NonNullable<SchemaNotes['manual']>): string {
  const meaning = [choicesOf(field), field.description, manual.more].filter((part) => part !== undefined).join(' ');
  const usual = field.default === undefined ? (manual.default ?? 'none') : `\`${JSON.stringify(field.default)}\``;
  return `| ${[`\`${name}\``, usual, meaning, manual.bytes, manual.roundTrips].join(' | ')} |`;
}

function choicesOf(field: FieldSchema): string | undefined {
  const choices = field.enum?.map((choice) => `\`${JSON.stringify(choice)}\``);
  return choices && `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}.`;
}
