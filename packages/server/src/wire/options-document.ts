import type { FieldRow } from './field-row.ts';
import { type FieldName, fieldNames, rowOf } from './fields.ts';

/** The table of options in `docs/api.md`, made from the table of fields. */
export function optionsTable(): string {
  const rows = fieldNames.flatMap((name) => {
    const row = rowOf(name);
    return row.manual === undefined ? [] : [tableRow(name, row, row.manual)];
  });
  return `| field | default | meaning | bytes | round trips |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function tableRow(name: FieldName, row: FieldRow, manual: NonNullable<FieldRow['manual']>): string {
  const meaning = [choicesOf(row), row.description, manual.more].filter((part) => part !== undefined).join(' ');
  const cells = [`\`${name}\``, defaultOf(row), meaning, manual.bytes, manual.roundTrips];
  return `| ${cells.join(' | ')} |`;
}

function choicesOf(row: FieldRow): string | undefined {
  if (row.kind !== 'choice') return undefined;
  const choices = row.choices.map((choice) => `\`${JSON.stringify(choice)}\``);
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}.`;
}

function defaultOf(row: FieldRow): string {
  const value = 'default' in row ? row.default : undefined;
  return value === undefined ? (row.manual?.default ?? 'none') : `\`${JSON.stringify(value)}\``;
}
