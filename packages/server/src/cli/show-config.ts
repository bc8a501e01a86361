import {
  type Environment,
  misspelledVariables,
  nameIn,
  readVariable,
  type Variable,
  variables,
} from '../config/variables.ts';
import { parseConfig } from '../config.ts';
import { ownCommand } from './own-command.ts';
import { readJsonOptions } from './parse-arguments.ts';
import { formatTable } from './table.ts';

/** The input and output of the command. */
export interface ConfigContext {
  arguments: readonly string[];
  /** The environment of the service, a `.env` file included. */
  environment: Environment;
  /** The names of the variables that were there before the `.env` file was read. */
  inherited: ReadonlySet<string>;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

const help = `Prints the configuration that the service would run with, and checks it.

Usage: ${ownCommand('config', '[--json]')}

Shows each variable with its value, where the value comes from (default, environment or .env), and its meaning. In a URL,
*** replaces the user, the password, the path and the query, which may be secrets.

As a table, or as one line of JSON:
  ${ownCommand('config')}
  ${ownCommand('config', '--json')}

Exit status: 0, or 78 when a value is wrong. Every error is on standard error, in the words of the service, and so is a variable
whose name looks misspelled; with --json they are in faults and warnings.
`;

/** A variable and its value, as shown. */
interface ShownVariable {
  name: string;
  /** With secrets masked; `null` when the variable is absent and has no default. */
  value: string | null;
  source: 'default' | 'environment' | '.env';
  meaning: string;
}

/**
 * Runs the `config` command: prints the effective configuration with secrets masked, and checks it.
 *
 * Returns the exit status: 0, 2 for a command line that is not understood, 78 for a configuration with errors.
 */
export function runConfig(context: ConfigContext): number {
  const options = readJsonOptions('config', context, help);
  if (options === undefined) return 2;
  if (options.help) {
    context.stdout(help);
    return 0;
  }
  const shown = variables.map((variable) => show(context, variable));
  const parsed = parseConfig(context.environment);
  const faults = 'faults' in parsed ? parsed.faults : [];
  const misspelled = misspelledVariables(context.environment);
  if (options.json) {
    context.stdout(`${JSON.stringify({ variables: shown, faults, warnings: misspelled })}\n`);
  } else {
    context.stdout(formatVariables(shown));
    for (const said of [...misspelled, ...faults]) context.stderr(`${said}\n`);
  }
  return faults.length > 0 ? 78 : 0;
}

function show({ environment, inherited }: ConfigContext, variable: Variable): ShownVariable {
  const { name, meaning } = variable;
  const text = readVariable(environment, variable);
  const value = text !== undefined && variable.mayHoldSecrets ? maskUrls(text) : text;
  const given = nameIn(environment, variable);
  const isGiven = (environment[given]?.trim() ?? '') !== '';
  const source = isGiven ? (inherited.has(given) ? 'environment' : '.env') : 'default';
  return { name, value: value ?? null, source, meaning };
}

function formatVariables(shown: readonly ShownVariable[]): string {
  return formatTable(
    shown.map(({ name, value, source, meaning }, index) => [
      name,
      value ?? `none: ${variables[index]?.none}`,
      source,
      meaning,
    ]),
  );
}

/** The schemes whose path names a database and is not a secret. The path of an RPC endpoint often holds a token. */
const databaseSchemes: readonly string[] = ['postgres:', 'postgresql:', 'redis:', 'rediss:'];
const schemes: readonly string[] = ['http:', 'https:', ...databaseSchemes];

/**
 * Masks comma-separated URLs: scheme, host and port remain, and the path of a database; `***` replaces the rest.
 *
 * The path of an SQLite file is shown whole, and nothing of a text that is not a URL.
 */
export function maskUrls(text: string): string {
  return text
    .split(',')
    .map((url) => maskUrl(url.trim()))
    .join(',');
}

function maskUrl(text: string): string {
  if (/^sqlite:(?!\/\/)/.test(text)) return text;
  if (!URL.canParse(text)) return '***';
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return '***';
  const user = url.username === '' && url.password === '' ? '' : '***@';
  const isPathShown = databaseSchemes.includes(url.protocol) || url.pathname === '/';
  const path = isPathShown ? url.pathname : '/***';
  const rest = url.search === '' && url.hash === '' ? '' : '?***';
  return `${url.protocol}//${user}${url.host}${path}${rest}`;
}
