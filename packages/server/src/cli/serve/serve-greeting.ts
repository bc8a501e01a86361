import { sandboxApiKey } from '../../keys/sandbox-key.ts';
import { exampleBody } from '../../wire/fields.ts';
import { paths } from '../../wire/routes.ts';
import { ownCommand } from '../own-command.ts';

/** The facts in the greeting. */
export interface Greeted {
  url: string;
  /** The JSON-RPC of the sandbox, when it runs on one. */
  sandboxRpcUrl: string | undefined;
  hasActiveKey: boolean;
}

/** Returns the text that is printed once the service listens: its address, and commands to paste. */
export function serveGreeting({ url, sandboxRpcUrl, hasActiveKey }: Greeted): string {
  if (sandboxRpcUrl !== undefined) return sandboxGreeting(url, sandboxRpcUrl);
  const noKey = `There is no active API key. Create one: ${ownCommand('keys', 'create --name NAME')}\n`;
  return `splwright listens on ${url}\n${hasActiveKey ? '' : noKey}`;
}

function sandboxGreeting(url: string, rpcUrl: string): string {
  const body = JSON.stringify(exampleBody('memo_transfer'));
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

Each operation from the request to the confirmed balances: ${ownCommand('demo')}
An API key of your own: ${ownCommand('keys', 'create --name NAME')}

`;
}
