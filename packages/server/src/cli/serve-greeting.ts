import { ownCommand } from '../app/own-command.ts';
import { sandboxWorldPath } from '../app/schema-parts.ts';
import { formatTable } from '../app/table.ts';
import { maskUrls } from '../config/mask-urls.ts';
import type { Config } from '../config.ts';
import { sandboxApiKey } from '../keys/authenticated-key.ts';
import { documentPath } from '../serve/public-routes.ts';
import { exampleTransfer, paths } from '../transfers/transfer-schema.ts';

export interface Greeted {
  url: string;
  /** The JSON-RPC of the sandbox, when it runs on one. */
  sandboxRpcUrl: string | undefined;
  hasActiveKey: boolean;
}

export interface Found {
  config: Pick<Config, 'hasPages' | 'databaseUrl' | 'solanaRpcUrls' | 'publicUrl'>;
  /** The variables that are set, each with where it was found: `PORT (option)`. */
  settings: readonly string[];
}

/** Returns the text that is printed once the service listens: its address, its pages, what was found, and what to do next. */
export function serveGreeting(greeted: Greeted, found: Found): string {
  const { url, sandboxRpcUrl, hasActiveKey } = greeted;
  const isOnSandbox = sandboxRpcUrl !== undefined;
  const rows = [...pageRows(url, found), ...foundRows(found), ...(isOnSandbox ? sandboxRows(url, sandboxRpcUrl) : [])];
  const sentences = [
    ...(isOnSandbox
      ? ['The ledger is new at each start, and so are payment links and Idempotency-Keys; API keys stay.']
      : []),
    ...(isOnSandbox || hasActiveKey
      ? []
      : [`There is no active API key. Create one: ${ownCommand('keys', 'create --name NAME')}`]),
  ];
  // No full stop after a URL, which terminals and programs would take for a part of it.
  const where = isOnSandbox ? ', on a sandbox ledger of its own (set SOLANA_RPC_URLS for a real network).' : '';
  const table = formatTable(rows).replaceAll(/^/gm, '  ').trimEnd();
  return `
splwright listens on ${url}${where}
${sentences.map((sentence) => `${sentence}\n`).join('')}
${table}
${isOnSandbox ? firstSteps(url) : ''}
`;
}

function pageRows(url: string, { config }: Found): string[][] {
  const document = ['API document', url + documentPath];
  return config.hasPages ? [['console', `${url}/`], ['reference', `${url}/docs`], document] : [document];
}

function foundRows({ config, settings }: Found): string[][] {
  const { databaseUrl, solanaRpcUrls, publicUrl } = config;
  return [
    ['configuration', settings.length === 0 ? 'the defaults' : settings.join(', ')],
    ['database', maskUrls(databaseUrl)],
    ...(solanaRpcUrls.length === 0
      ? []
      : [
          ['Solana nodes', maskUrls(solanaRpcUrls.join(',')).replaceAll(',', ', ')],
          ['payment links', publicUrl ?? 'off: PUBLIC_URL is not set'],
        ]),
  ];
}

function sandboxRows(url: string, rpcUrl: string): string[][] {
  return [
    ['Solana JSON-RPC', rpcUrl],
    ['API key', `${sandboxApiKey} (this machine only)`],
    ['wallets, mints', url + sandboxWorldPath],
  ];
}

function firstSteps(url: string): string {
  return `
Build a transfer:

  curl ${url}${paths.transfers} \\
    -H 'Authorization: Bearer ${sandboxApiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(exampleTransfer)}'

Each operation from the request to the confirmed transaction: ${ownCommand('demo')}
An API key of your own: ${ownCommand('keys', 'create --name NAME')}
`;
}
