import { ownCommand } from '../cli/own-command.ts';
import { sandboxApiKey } from '../keys/authenticated-key.ts';
import type { RecordCounts } from '../store/ledgers/ledger-store.ts';
import { exampleBody } from '../wire/fields.ts';
import { paths } from '../wire/routes/route-table.ts';

/** The facts in the greeting. */
export interface Greeted {
  url: string;
  /** The JSON-RPC of the sandbox, when it runs on one. */
  sandboxRpcUrl: string | undefined;
  hasActiveKey: boolean;
  /** What the database has of other ledgers. */
  otherLedgers: RecordCounts;
}

/** Returns the text that is printed once the service listens: its address, and commands to paste. */
export function serveGreeting({ url, sandboxRpcUrl, hasActiveKey, otherLedgers }: Greeted): string {
  const sentence = describeRecordsOfOtherLedgers(otherLedgers);
  const left = sentence === undefined ? '' : `${sentence}\n`;
  if (sandboxRpcUrl !== undefined) return sandboxGreeting(url, sandboxRpcUrl, left);
  const noKey = `There is no active API key. Create one: ${ownCommand('keys', 'create --name NAME')}\n`;
  return `splwright listens on ${url}\n${left}${hasActiveKey ? '' : noKey}`;
}

function sandboxGreeting(url: string, rpcUrl: string, left: string): string {
  const body = JSON.stringify(exampleBody('memo_transfer'));
  return `
splwright listens on ${url}, on a sandbox ledger of its own (set SOLANA_RPC_URLS for a real network).
The ledger is new at each start, and so are payment links and Idempotency-Keys; API keys stay.
${left}
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

/** Returns a sentence of what a database has of other ledgers; undefined where there is nothing. */
export function describeRecordsOfOtherLedgers({ links, requests }: RecordCounts): string | undefined {
  const parts = [
    ...(links > 0 ? [`${links} payment ${links === 1 ? 'link' : 'links'}`] : []),
    ...(requests > 0 ? [`${requests} ${requests === 1 ? 'request' : 'requests'} with an Idempotency-Key`] : []),
  ];
  if (parts.length === 0) return undefined;
  return `The database also has ${parts.join(' and ')} of other ledgers, which this service does not use.`;
}
