import { parseConfig } from '../config.ts';
import { type CommandContext, configurationFault } from './command.ts';

/** Health checks of containers usually give up after 5 seconds or more. */
const timeoutMs = 3000;

/**
 * Runs the `ping` command: asks the service at `HOST` and `PORT` whether it is alive, with `--ready` whether it is ready.
 *
 * Returns the exit status: 0 when it is, 1 when it is not or does not answer, 78 for a configuration with errors.
 */
export async function runPing({ ready }: { ready?: true }, context: CommandContext): Promise<number> {
  const { environment, stdout, stderr } = context;
  const parsed = parseConfig({ HOST: environment.HOST, PORT: environment.PORT });
  if ('faults' in parsed) {
    stderr(`${parsed.faults.join('\n')}\n`);
    return configurationFault;
  }
  const { host, port } = parsed.config;
  const url = `http://${hostToAsk(host)}:${port}/${ready ? 'readyz' : 'livez'}`;
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

/** Returns the host of a URL for a service on this machine: one that listens on every address is asked on the loopback one. */
export function hostToAsk(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
