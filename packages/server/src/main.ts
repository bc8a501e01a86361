import cluster from 'node:cluster';
import { existsSync, readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { text as readText } from 'node:stream/consumers';
import { maskApiKeys } from './app/api-key.ts';
import { runCommandLine } from './cli/program.ts';
import type { Environment } from './config/variables.ts';
import type { ChangeAuthor } from './keys/api-key-record.ts';

const stdout = (text: string): void => void process.stdout.write(text);
const stderr = (text: string): void => void process.stderr.write(text);

const onExit = (action: () => void): void => void process.once('exit', action);

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : 'unknown';
}

/** Returns who runs this command on which host, as the system and `SUDO_USER` say. */
function commandAuthor(): ChangeAuthor {
  return { user: authorText(nameOfUser()), sudoUser: authorText(process.env.SUDO_USER), host: authorText(hostname()) };
}

// In a container a user may have a number and no name.
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

const maxAuthorCharacters = 200;

// It is shown on terminals, and anyone can set a variable to anything.
function authorText(text = ''): string | null {
  return text === '' ? null : maskApiKeys(text).slice(0, maxAuthorCharacters).replaceAll(/\p{C}/gu, '?');
}

// By default Node would open its debugger, to every process of the machine.
process.on('SIGUSR1', () => undefined);

// What Node reports of a crash would hold the secrets of the environment.
process.report.excludeEnv = true;

/** Signals within this time of the first are the same signal: npm and process groups send it twice. */
const sameSignalMs = 1000;

/** A pending write to a reader that stalls must not keep a process that has finished. */
const lastWriteMs = 1000;

/**
 * Returns one signal to stop, and another to stop without a drain: after SIGINT, which comes from a terminal, or a second signal.
 *
 * SIGHUP means that the terminal was closed: there is nothing to reload, since the configuration is the environment.
 */
function stopSignals(): { stop: AbortSignal; hurry: AbortSignal } {
  const stop = new AbortController();
  const hurry = new AbortController();
  let firstAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ??= performance.now();
      // A worker may get each signal twice, from the system and from the primary process, which sends SIGINT for a second one.
      const isSecond = cluster.isPrimary && performance.now() - firstAt > sameSignalMs;
      if (signal === 'SIGINT' || isSecond) hurry.abort();
      stop.abort();
    });
  }
  return { stop: stop.signal, hurry: hurry.signal };
}

const inherited = new Set(Object.keys(process.env));
if (existsSync('.env')) process.loadEnvFile('.env');
const environment = process.env;
const version = readVersion();

async function serve(options: Environment): Promise<number> {
  const { runServe } = await import('./cli/serve.ts');
  // Standard error may lose its reader, as the log may, without harm to the service.
  process.stderr.on('error', () => undefined);
  const output = { stdout, stderr, isTerminal: process.stdout.isTTY === true };
  const status = await runServe({ options, environment, inherited, version, ...output, ...stopSignals(), onExit });
  setTimeout(() => process.exit(), lastWriteMs).unref();
  return status;
}

try {
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    environment,
    inherited,
    version,
    author: commandAuthor(),
    input: { isTerminal: process.stdin.isTTY === true, read: () => readText(process.stdin) },
    stdout,
    stderr,
    now: () => new Date(),
    serve,
  });
} catch (error) {
  stderr(`splwright: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
