import { type Environment, parseConfig } from '../config.ts';
import { KeyStoreError } from '../keys/key-store.ts';
import { sandboxApiKey } from '../keys/sandbox-key.ts';
import { fieldExamples, paths } from '../wire/fields.ts';
import { LineBuffer } from './line-buffer.ts';
import { ListenError } from './listen.ts';
import { ClusterError } from './start-chain-reader.ts';
import { type RunningService, startService } from './start-service.ts';

/** What the command is run with. */
export interface ServeContext {
  environment: Environment;
  version: string;
  /** Aborted when the process is told to stop. */
  stop: AbortSignal;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Has something done when the process ends, however it ends. */
  onExit: (action: () => void) => void;
}

/** The exit status for a configuration that cannot be used (`EX_CONFIG` of sysexits.h). */
const configurationFault = 78;

/** Runs the service until it is told to stop. Resolves with the exit status. */
export async function runServe(context: ServeContext): Promise<number> {
  const parsed = parseConfig(context.environment);
  if ('faults' in parsed) {
    for (const fault of parsed.faults) context.stderr(`${fault}\n`);
    return configurationFault;
  }
  const log = new LineBuffer(context.stdout);
  context.onExit(() => log.flush());
  let service: RunningService;
  try {
    service = await startService(parsed.config, context.version, (line) => log.add(line));
  } catch (error) {
    if (error instanceof ListenError || error instanceof KeyStoreError || error instanceof ClusterError) {
      context.stderr(`${error.message}\n`);
      return error instanceof ListenError ? 1 : configurationFault;
    }
    throw error;
  }
  context.stdout(service.sandbox ? sandboxGreeting(service.url, service.sandbox.rpcUrl) : greeting(service));
  if (!context.stop.aborted) await new Promise((resolve) => context.stop.addEventListener('abort', resolve));
  await service.close();
  return 0;
}

function greeting(service: RunningService): string {
  const noKey = `No API key works yet. Make one: npm run keys -- create --name NAME\n`;
  return `splwright listens on ${service.url}\n${service.hasActiveKey ? '' : noKey}`;
}

function sandboxGreeting(url: string, rpcUrl: string): string {
  const { memo, yid: _, ...fields } = fieldExamples;
  const body = JSON.stringify({ ...fields, memo });
  return `
splwright listens on ${url}, on a sandbox ledger of its own (set SOLANA_RPC_URLS for a real network).

  Solana JSON-RPC   ${rpcUrl}
  API key           ${sandboxApiKey} (this machine only)
  wallets, mints    ${url}/sandbox/world

Build a transfer:

  curl ${url}${paths.memoTransfer} \\
    -H 'Authorization: Bearer ${sandboxApiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

Or see one go the whole way: npm run demo
A key of your own: npm run keys -- create --name NAME

`;
}
