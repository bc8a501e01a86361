import { readFileSync } from 'node:fs';

const begin = '<!-- program: written by `npm run docs` from examples/pay-once.ts -->\n';
const end = '<!-- end of program -->\n';

/** The text of `docs/exactly-once.md` with its program between its two markers. Throws when a marker is missing. */
export function withProgram(text: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/exactly-once.md has lost a marker of its program');
  const program = readFileSync(new URL('../examples/pay-once.ts', import.meta.url), 'utf8');
  return `${before}${begin}\n\`\`\`ts\n${program}\`\`\`\n\n${end}${after}`;
}
