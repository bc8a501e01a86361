import { existsSync, readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';

const usage = `usage: splwright <command>

  serve    run the service
  keys     create, limit and revoke API keys, show what they were used for and who changed them
  config   check the configuration and print it, with secrets masked
  doctor   examine what the service needs, and say what to do
  ping     ask the running service whether it is alive, or ready: for health checks
  inspect  describe a transaction in words
  verify   compare the transactions of a reply with the request, before they are signed
  demo     build, sign, submit and confirm one transfer of each operation on the sandbox

Each command has --help.
`;

const stdout = (text: string): void => void process.stdout.write(text);
const stderr = (text: string): void => void process.stderr.write(text);

const onExit = (action: () => void): void => void process.once('exit', action);

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : 'unknown';
}

// By default Node would open its debugger, to every process of the machine.
process.on('SIGUSR1', () => undefined);

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
      if (signal === 'SIGINT' || performance.now() - firstAt > sameSignalMs) hurry.abort();
      stop.abort();
    });
  }
  return { stop: stop.signal, hurry: hurry.signal };
}

// Each command is loaded when it runs: the ledger of `serve` takes a second to load, and `keys` does without it.
async function run(command: string | undefined, rest: readonly string[]): Promise<number> {
  const inherited = new Set(Object.keys(process.env));
  if (existsSync('.env')) process.loadEnvFile('.env');
  const environment = process.env;
  switch (command) {
    case undefined:
    case 'serve': {
      const { runServe } = await import('./cli/serve.ts');
      // Standard error may lose its reader, as the log may, without harm to the service.
      process.stderr.on('error', () => undefined);
      const given = { arguments: rest, environment, inherited, version: readVersion() };
      const output = { stdout, stderr, isTerminal: process.stdout.isTTY === true };
      const status = await runServe({ ...given, ...output, ...stopSignals(), onExit });
      setTimeout(() => process.exit(), lastWriteMs).unref();
      return status;
    }
    case 'demo': {
      const { runDemo } = await import('./cli/demo/demo.ts');
      return runDemo({ arguments: rest, environment, version: readVersion(), stdout, stderr });
    }
    case 'inspect': {
      const { runInspect } = await import('./cli/inspect.ts');
      return runInspect({ arguments: rest, readInput: () => readText(process.stdin), stdout, stderr });
    }
    case 'verify': {
      const { runVerify } = await import('./cli/verify.ts');
      return runVerify({ arguments: rest, readInput: () => readText(process.stdin), stdout, stderr });
    }
    case 'keys': {
      const [{ runKeys }, { commandAuthor }, { parseConfig, sandboxDatabase }] = await Promise.all([
        import('./cli/keys/keys.ts'),
        import('./cli/keys/keys-context.ts'),
        import('./config.ts'),
      ]);
      const { DATABASE_URL, SOLANA_RPC_URLS } = environment;
      const parsed = parseConfig({ DATABASE_URL, SOLANA_RPC_URLS });
      if ('config' in parsed) {
        const { databaseUrl } = parsed.config;
        if (databaseUrl === sandboxDatabase) {
          stderr(`SOLANA_RPC_URLS is not set: these are the keys of the sandbox, in ${sandboxDatabase}\n`);
        }
        const input = { isTerminal: process.stdin.isTTY === true, read: () => readText(process.stdin) };
        const author = commandAuthor(environment);
        return runKeys({ arguments: rest, databaseUrl, author, input, stdout, stderr, now: () => new Date() });
      }
      stderr(`${parsed.faults.join('\n')}\n`);
      return 78;
    }
    case 'config': {
      const { runConfig } = await import('./cli/show-config.ts');
      return runConfig({ arguments: rest, environment, inherited, stdout, stderr });
    }
    case 'doctor': {
      const { runDoctor } = await import('./cli/doctor/doctor.ts');
      return runDoctor({ arguments: rest, environment, stdout, stderr, now: () => Date.now() });
    }
    case 'ping': {
      const { runPing } = await import('./cli/ping.ts');
      return runPing({ arguments: rest, environment, stdout, stderr });
    }
    case 'help':
    case '--help':
    case '-h':
      stdout(usage);
      return 0;
    case '--version':
      stdout(`${readVersion()}\n`);
      return 0;
    default:
      stderr(`splwright: there is no command ${JSON.stringify(command)}\n\n${usage}`);
      return 2;
  }
}

try {
  process.exitCode = await run(process.argv[2], process.argv.slice(3));
} catch (error) {
  stderr(`splwright: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
