#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';

const usage = `usage: splwright <command>

  serve   run the service (configured by environment variables, see the README)
  keys    make, limit and stop API keys, and see what they were used for
  config  print the configuration, secrets masked, and check it
  inspect say in words what a transaction does
  demo    build, sign, submit and confirm one of each transfer on the sandbox
`;

const stdout = (text: string): void => void process.stdout.write(text);
const stderr = (text: string): void => void process.stderr.write(text);

const onExit = (action: () => void): void => void process.once('exit', action);

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : 'unknown';
}

function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

// Each command is loaded on its own: the ledger that `serve` needs takes a second that `keys` need not wait.
async function run(command: string | undefined, rest: readonly string[]): Promise<number> {
  const inherited = new Set(Object.keys(process.env));
  if (existsSync('.env')) process.loadEnvFile('.env');
  const environment = process.env;
  switch (command) {
    case undefined:
    case 'serve': {
      const { runServe } = await import('./cli/serve.ts');
      return runServe({ environment, version: readVersion(), stop: stopSignal(), stdout, stderr, onExit });
    }
    case 'demo': {
      const { runDemo } = await import('./cli/demo.ts');
      return runDemo({ environment, version: readVersion(), stdout, stderr });
    }
    case 'inspect': {
      const { runInspect } = await import('./cli/inspect.ts');
      return runInspect({ arguments: rest, readInput: () => readText(process.stdin), stdout, stderr });
    }
    case 'keys': {
      const [{ runKeys }, { parseConfig }] = await Promise.all([import('./cli/keys.ts'), import('./config.ts')]);
      const parsed = parseConfig({ DATABASE_URL: environment.DATABASE_URL });
      if ('config' in parsed) {
        const { databaseUrl } = parsed.config;
        return runKeys({ arguments: rest, databaseUrl, stdout, stderr, now: () => new Date() });
      }
      stderr(`${parsed.faults.join('\n')}\n`);
      return 78;
    }
    case 'config': {
      const { runConfig } = await import('./cli/config.ts');
      return runConfig({ arguments: rest, environment, inherited, stdout, stderr });
    }
    case 'help':
    case '--help':
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
