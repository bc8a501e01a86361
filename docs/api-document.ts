import { optionsTable } from '../packages/server/src/app/openapi/generated-docs.ts';

const begin = '<!-- options: written by `npm run docs` from packages/server/src/app/field-table.ts -->\n';
const end = '<!-- end of options -->\n';

/** The text of `docs/api.md` with the table of options between its two markers. Throws when a marker is missing. */
export function withOptionsTable(text: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('docs/api.md has lost a marker of its options');
  return `${before}${begin}\n${optionsTable()}\n${end}${after}`;
}
