import type { Environment } from '../config/variables.ts';
import { parseConfig } from '../config.ts';
import { parseStrictly, UsageError, usageSentence } from './parse-arguments.ts';

/** The input and output of the command. */
export interface PingContext {
  arguments: readonly string[];
  /** The environment of the service that is asked. */
  environment: Environment;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

const help = `Asks the service on this machine whether it runs, for health checks of containers, which have no curl.

Usage: splwright ping [--ready]

It asks /livez, with --ready /readyz, at HOST and PORT of the environment.

Exit status: 0 when the answer is 200, 1 when it is another or none came within 3 seconds.
`;

/** Health checks of containers usually give up after 5 seconds or more. */
const timeoutMs = 3000;

/**
 * Runs the `ping` command: asks the service at `HOST` and `PORT` whether it is alive, with `--ready` whether it is ready.
 *
 * Returns the exit status: 0 when it is, 1 when it is not or does not answer, 2 for a command line that is not understood,
 * 78 for a configuration with errors.
 */
export async function runPing({ arguments: args, environment, stdout, stderr }: PingContext): Promise<number> {
  const options = readArguments(args, stderr);
  if (options === undefined) return 2;
  if (options.help) {
    stdout(help);
    return 0;
  }
  const parsed = parseConfig({ HOST: environment.HOST, PORT: environment.PORT });
  if ('faults' in parsed) {
    stderr(`${parsed.faults.join('\n')}\n`);
    return 78;
  }
  const { host, port } = parsed.config;
  const url = `http://${hostToAsk(host)}:${port}/${options.ready ? 'readyz' : 'livez'}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    stdout(`${response.status} ${await response.text()}\n`);
    return response.status === 200 ? 0 : 1;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    stderr(`${url}: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    return 1;
  }
}

/** A service that listens on every address is asked on the loopback one. */
function hostToAsk(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function readArguments(
  args: readonly string[],
  stderr: (text: string) => void,
): { ready: boolean; help: boolean } | undefined {
  try {
    const ready = { type: 'boolean', default: false } as const;
    const options = { ready, help: { type: 'boolean', short: 'h', default: false } } as const;
    return parseStrictly({ args: [...args], options }).values;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr(`ping: ${usageSentence(error)}\n\n${help}`);
    return undefined;
  }
}
