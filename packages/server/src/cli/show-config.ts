import { maskUrls } from '../config/mask-urls.ts';
import { misspelledVariables, nameIn, readVariable, type Variable, variables } from '../config/variables.ts';
import { parseConfig } from '../config.ts';
import { type CommandContext, configurationFault } from './command.ts';

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
 * Returns the exit status: 0, or 78 for a configuration with errors.
 */
export function runConfig({ json }: { json?: true }, context: CommandContext): number {
  const shown = variables.map((variable) => show(context, variable));
  const parsed = parseConfig(context.environment);
  const faults = 'faults' in parsed ? parsed.faults : [];
  const misspelled = misspelledVariables(context.environment);
  if (json) {
    context.stdout(`${JSON.stringify({ variables: shown, faults, warnings: misspelled })}\n`);
  } else {
    context.stdout(formatVariables(shown));
    for (const said of [...misspelled, ...faults]) context.stderr(`${said}\n`);
  }
  return faults.length > 0 ? configurationFault : 0;
}

function show({ environment, inherited }: CommandContext, variable: Variable): ShownVariable {
  const { name, meaning } = variable;
  const text = readVariable(environment, variable);
  const value = text !== undefined && variable.mayHoldSecrets ? mask(text, variable) : text;
  const given = nameIn(environment, variable);
  const isGiven = (environment[given]?.trim() ?? '') !== '';
  const source = isGiven ? (inherited.has(given) ? 'environment' : '.env') : 'default';
  return { name, value: value ?? null, source, meaning };
}

// A secret may look like a URL.
function mask(text: string, { isSecret }: Variable): string {
  return isSecret ? '***' : maskUrls(text);
}

const maxColumns = 100;

/** Those that are set come first: the rest is as it is everywhere. */
function formatVariables(shown: readonly ShownVariable[]): string {
  const isSet = ({ source }: ShownVariable): boolean => source !== 'default';
  const format = (heading: string, some: readonly ShownVariable[]): string =>
    some.length === 0 ? '' : `${heading}\n${some.map(formatVariable).join('')}\n`;
  return (
    format('Set:', shown.filter(isSet)) +
    format(
      'Defaults:',
      shown.filter((each) => !isSet(each)),
    )
  ).trimStart();
}

function formatVariable({ name, value, source, meaning }: ShownVariable): string {
  const none = variables.find((variable) => variable.name === name)?.none;
  const origin = source === 'default' ? '' : ` (${source})`;
  const pattern = new RegExp(`(.{1,${maxColumns - 6}})(?: |$)`, 'g');
  return `  ${name} = ${value ?? `none: ${none}`}${origin}\n${meaning.replaceAll(pattern, '      $1\n')}`;
}
