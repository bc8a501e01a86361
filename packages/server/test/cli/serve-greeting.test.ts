import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Found, serveGreeting } from '../../src/cli/serve-greeting.ts';

const url = 'http://127.0.0.1:3000';

function found(config: Partial<Found['config']> = {}, settings: readonly string[] = []): Found {
  const defaults = {
    hasPages: true,
    databaseUrl: 'sqlite:.splwright/keys.db',
    solanaRpcUrls: [],
    publicUrl: undefined,
  };
  return { config: { ...defaults, ...config }, settings };
}

test('On the sandbox it names the pages, what was found, the key and the wallets, and a command to paste', () => {
  const sandbox = { url, sandboxRpcUrl: 'http://127.0.0.1:8899', hasActiveKey: false };
  const text = serveGreeting(sandbox, found());
  for (const row of [
    /^ {2}console +http:\/\/127\.0\.0\.1:3000\/$/m,
    /^ {2}reference +http:\/\/127\.0\.0\.1:3000\/docs$/m,
    /^ {2}API document +http:\/\/127\.0\.0\.1:3000\/openapi\.json$/m,
    /^ {2}configuration +the defaults$/m,
    /^ {2}database +sqlite:\.splwright\/keys\.db$/m,
    /^ {2}Solana JSON-RPC +http:\/\/127\.0\.0\.1:8899$/m,
    /^ {2}wallets, mints +http:\/\/127\.0\.0\.1:3000\/sandbox\/world$/m,
    /^ {2}curl http:\/\/127\.0\.0\.1:3000\/v1\//m,
    /^The ledger is new at each start, and so are payment links and Idempotency-Keys; API keys stay\.$/m,
  ]) {
    assert.match(text, row);
  }
  assert.doesNotMatch(text, /no active API key|Solana nodes/);
});

test('On a real network it names the nodes and the database without their secrets, and what is missing', () => {
  const config = {
    hasPages: false,
    databaseUrl: 'postgres://app:SECRET@db.example/keys',
    solanaRpcUrls: ['https://a.example/SECRET', 'https://b.example/?api-key=SECRET'],
  };
  const network = { url, sandboxRpcUrl: undefined, hasActiveKey: false };
  const text = serveGreeting(network, found(config, ['PORT (option)', 'SOLANA_RPC_URLS (.env)']));
  assert.match(text, /^splwright listens on http:\/\/127\.0\.0\.1:3000$/m);
  assert.match(text, /^There is no active API key\. Create one: /m);
  assert.match(text, /^ {2}configuration +PORT \(option\), SOLANA_RPC_URLS \(\.env\)$/m);
  assert.match(text, /^ {2}database +postgres:\/\/\*\*\*@db\.example\/keys$/m);
  assert.match(text, /^ {2}Solana nodes +https:\/\/a\.example\/\*\*\*, https:\/\/b\.example\/\?\*\*\*$/m);
  assert.match(text, /^ {2}payment links +off: PUBLIC_URL is not set$/m);
  assert.doesNotMatch(text, /SECRET|console|sandbox/);
  assert.doesNotMatch(serveGreeting({ ...network, hasActiveKey: true }, found(config)), /no active API key/);
});
