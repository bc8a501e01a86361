import { variables } from '../packages/server/src/config/variables.ts';

/** The whole text of `.env.example`: every variable, commented out, with its default. */
export function envExample(): string {
  const entries = variables.map(({ name, default: text, none, meaning }) => {
    const note = none === undefined ? '' : `; without it: ${none}`;
    return `# ${meaning}${note}\n#${name}=${text ?? ''}\n`;
  });
  return `# Copy this file to .env and set what should differ from the default. Made by \`npm run docs\`.\n\n${entries.join('\n')}`;
}
