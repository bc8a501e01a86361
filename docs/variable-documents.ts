import { type Variable, variables } from '../packages/server/src/config/variables.ts';

/** The whole text of `.env.example`: every variable, commented out, with its default. */
export function envExample(): string {
  const entries = variables.map(({ name, default: text, none, meaning }) => {
    const note = none === undefined ? '' : `; without it: ${none}`;
    return `# ${meaning}${note}\n#${name}=${text ?? ''}\n`;
  });
  return `# Copy this file to .env and set what should differ from the default. Made by \`npm run docs\`.\n\n${entries.join('\n')}`;
}

/** The whole text of `docs/configuration.md`: every variable with its default and its meaning. */
export function configurationDocument(): string {
  return `# Configuration

The service is configured by environment variables. A \`.env\` file is read if there is one; [.env.example](../.env.example) has
every variable. If a value is wrong, the service does not start and names all wrong values. \`npm run config\` prints the values,
with secrets masked; \`npm run doctor\` examines nodes, database and Redis.

${table(variables)}
`;
}

function table(rows: readonly Variable[]): string {
  const lines = rows.map((variable) => `| \`${variable.name}\` | ${describeDefault(variable)} | ${variable.meaning} |`);
  return `| variable | default | meaning |\n|---|---|---|\n${lines.join('\n')}`;
}

function describeDefault(variable: Variable): string {
  if (variable.default === undefined) return `none: ${variable.none}`;
  return /[/:]/.test(variable.default) ? `\`${variable.default}\`` : variable.default;
}
