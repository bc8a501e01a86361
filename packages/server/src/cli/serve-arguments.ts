import { type Environment, variables } from '../config/variables.ts';
import { ownCommand } from './own-command.ts';
import { parseStrictly, UsageError } from './parse-arguments.ts';

/** The text of `serve --help`. */
export const serveHelp = `Runs the service, on the sandbox unless a Solana node is named.

Usage: ${ownCommand('serve', '[options]')}

  --port <3000>           the port it listens on
  --host <127.0.0.1>      the address it listens on
  --rpc-url <URL>         a Solana node; several, the preferred one first, by repeating the option
  --database-url <URL>    where API keys are kept: sqlite: and a path, or postgres://
  --log-level <info>      trace, debug, info, warn, error, fatal or silent

Each variable of the environment is also an option, which comes before it: --drain-ms 0 is DRAIN_MS=0. To see
them all: ${ownCommand('config')}

Exit status: 0 after a signal to stop, 1 when it cannot listen, 2 for a wrong command line, 78 when a value is wrong.
`;

const rpcUrl = 'rpc-url';
const names = new Map(variables.map(({ name }) => [name.toLowerCase().replaceAll('_', '-'), name]));
const text = { type: 'string' } as const;
const options = {
  ...Object.fromEntries([...names.keys()].map((option) => [option, text])),
  [rpcUrl]: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the options of `serve`, each as the variable that it stands for; or `help`. Throws a `UsageError`. */
export function parseServeArguments(args: readonly string[]): Environment | 'help' {
  const { values } = parseStrictly({ args: [...args], options });
  const given = Object.entries(values);
  if (given.some(([option]) => option === 'help')) return 'help';
  const environment: Record<string, string> = {};
  for (const [option, value] of given) {
    const name = names.get(option);
    if (name !== undefined && typeof value === 'string') environment[name] = value;
  }
  const urls = given.find(([option]) => option === rpcUrl)?.[1];
  if (!Array.isArray(urls)) return environment;
  if (environment.SOLANA_RPC_URLS !== undefined) throw new UsageError('give --rpc-url or --solana-rpc-urls, not both');
  return { ...environment, SOLANA_RPC_URLS: urls.join(',') };
}
