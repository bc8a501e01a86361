import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it, test } from 'node:test';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { claimForNetwork, claimForSandbox } from '../../../packages/server/src/store/cluster.ts';
import { type Exchange, type Fault, type FaultProxy, startFaultProxy } from '../../setup/fault-proxy.ts';
import { editedResult, nodeError, onlyFor, otherLedger } from '../../setup/faults.ts';
import { runCommand } from '../../setup/process.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import type { Cleanup } from '../../setup/service.ts';
import { examine, folder, healthyDatabaseUrl, said } from './doctor-examination.ts';

const sandbox = await startTestSandbox({ after });

// The sandbox has no more history than its own age.
const withAllHistory: Fault = onlyFor(
  'getFirstAvailableBlock',
  editedResult(() => 0),
);

/** Starts a node that is healthy, and does what the fault does to the calls of one method. */
async function startNode(t: Cleanup, name: string, method?: string, fault?: Fault): Promise<FaultProxy> {
  const node = await startFaultProxy(t, { ledger: sandbox.ledger, name });
  const isIt = ({ calls }: Exchange): boolean => calls.some((call) => call.method === method);
  node.fault = (exchange) => (fault && isIt(exchange) ? fault : withAllHistory)(exchange);
  return node;
}

describe('the doctor, of upstreams', () => {
  it('finds nothing wrong with two healthy nodes', async (t) => {
    const nodes = [await startNode(t, 'a'), await startNode(t, 'b')];
    const result = await examine({ SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(',') });
    assert.deepEqual(said(result), []);
    assert.equal(result.status, 0);
    assert.match(result.text, /It answers in \d+ ms, at slot \d+\./);
  });

  it('says which methods a node refuses, and what is then missing', async (t) => {
    const refuse = nodeError(-32601, 'Method not found');
    const first = await startNode(t, 'a', 'getSignaturesForAddress', refuse);
    const second = await startNode(t, 'b', 'getRecentPrioritizationFees', refuse);
    const { status, complaints } = await examine({ SOLANA_RPC_URLS: `${first.url},${second.url}` });
    assert.equal(status, 0);
    assert.deepEqual(
      complaints.map(({ subject, remedy }) => `${subject}: ${remedy}`),
      [
        'upstream_1: It is needed for outcomes of transfers and payment links, which are then unknown.',
        'upstream_2: It is needed for priority fees by level.',
      ],
    );
  });

  it('names the status and the message of a node that refuses the key, and never the key', async (t) => {
    const node = await startFaultProxy(t, { ledger: sandbox.ledger, name: 'a' });
    node.fault = ({ response, quotedUrl }) => {
      const error = { code: -32401, message: `invalid api key in ${quotedUrl}` };
      response.writeHead(401).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    };
    const result = await examine({ SOLANA_RPC_URLS: node.url });
    assert.equal(result.status, 1);
    assert.match(
      said(result)[0] ?? '',
      /^failure upstream_1 getGenesisHash: it answered HTTP 401: "invalid api key in .*…"\.$/,
    );
    for (const secret of node.secrets) assert.ok(!result.text.includes(secret));
  });

  it('fails when too few nodes can be used, and never shows a URL', async (t) => {
    const node = await startFaultProxy(t, { ledger: sandbox.ledger, name: 'a' });
    await node.kill();
    const result = await examine({ SOLANA_RPC_URLS: node.url });
    assert.equal(result.status, 1);
    assert.ok(
      said(result).includes('failure upstreams 0 of 1 can be used, and 1 must show a payment (UPSTREAM_QUORUM).'),
      said(result).join('\n'),
    );
    for (const secret of node.secrets) assert.ok(!result.text.includes(secret));
    assert.ok(!result.text.includes('127.0.0.1'));
  });

  it('only warns of a node that does not answer while the others are enough, as the service runs', async (t) => {
    const [dead, ...alive] = [await startNode(t, 'a'), await startNode(t, 'b'), await startNode(t, 'c')];
    await dead?.kill();
    const urls = [dead, ...alive].map((node) => node?.url).join(',');
    const { status, complaints } = await examine({ SOLANA_RPC_URLS: urls, UPSTREAM_QUORUM: '2' });
    assert.deepEqual(
      complaints.map(({ subject, level }) => [subject, level]),
      [['upstream_1', 'warning']],
    );
    assert.match(complaints[0]?.remedy ?? '', /^The service runs on the others\. /);
    assert.equal(status, 0);
    assert.equal((await examine({ SOLANA_RPC_URLS: urls, UPSTREAM_QUORUM: '3' })).status, 1);
  });

  it('fails when the nodes are of different clusters', async (t) => {
    const other = await startFaultProxy(t, { ledger: sandbox.ledger, name: 'a' });
    other.fault = otherLedger(sandbox.ledger);
    const result = await examine({ SOLANA_RPC_URLS: `${sandbox.rpcUrl},${other.url}` });
    assert.equal(result.status, 1);
    assert.ok(
      said(result).some((line) => /^failure upstreams They are of different clusters: .*devnet/.test(line)),
      said(result).join('\n'),
    );
  });

  it('says how much history a node keeps at the pace of its slots, when that is too little', async (t) => {
    const oneHour = editedResult(() => Number(sandbox.ledger.slot()) - 18_000);
    const [first, second] = [await startNode(t, 'a', 'getFirstAvailableBlock', oneHour), await startNode(t, 'b')];
    assert.deepEqual(said(await examine({ SOLANA_RPC_URLS: `${first.url},${second.url}` })), [
      'warning upstream_1 It keeps about 1.0 hours of history; outcomes are asked for up to 24 hours later.',
    ]);
  });

  it('compares the clock of the machine with the cluster, in both directions', async () => {
    for (const [skewMs, words] of [
      [90_000, 'ahead of'],
      [-90_000, 'behind'],
    ] as const) {
      const result = await examine({ SOLANA_RPC_URLS: sandbox.rpcUrl }, () => Date.now() + skewMs);
      const line = said(result).find((each) => each.includes('clock')) ?? '';
      assert.match(
        line,
        new RegExp(`^warning upstream_1 This machine's clock is (?:8|9)\\d s ${words} the cluster's\\.$`),
      );
    }
  });

  it('names the sandbox where no node is configured, and every wrong value where there are some', async () => {
    const { status, diagnoses } = await examine({});
    assert.equal(status, 0);
    assert.ok(diagnoses.some(({ finding }) => finding.includes('runs on its sandbox')));
    const wrong = await examine({ WORKERS: 'y', LOG_LEVEL: 'loud', POTR: '4000' });
    assert.equal(wrong.status, 78);
    assert.deepEqual(said(wrong), [
      'failure configuration WORKERS must be a whole number from 1 to 256, not "y".',
      'failure configuration LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud".',
      'warning configuration POTR is not a variable of splwright: did you mean PORT?',
    ]);
  });
});

describe('the doctor, of the database', () => {
  it('finds nothing wrong with a file that has a key, and changes nothing in one that has none', async () => {
    const path = join(folder, 'keys.db');
    const store = await openKeyStore(`sqlite:${path}`);
    const without = await examine({ DATABASE_URL: `sqlite:${path}` });
    assert.deepEqual(said(without), ['warning database It has no API key that works.']);
    await store.create({ name: 'acme', expiresAt: null });
    assert.deepEqual(said(await examine({ DATABASE_URL: `sqlite:${path}` })), []);
    await store.close();
    assert.deepEqual(said(await examine({ DATABASE_URL: `sqlite:${path}` })), []);
  });

  it('fails on a database that a newer version has changed', async () => {
    const path = join(folder, 'other.db');
    await (await openKeyStore(`sqlite:${path}`)).close();
    const database = new DatabaseSync(path);
    database.exec("insert into schema_steps values ('9999-future', 9999)");
    database.close();
    const newer = await examine({ DATABASE_URL: `sqlite:${path}` });
    assert.equal(newer.status, 1);
    assert.deepEqual(said(newer), ['failure database A newer version has changed it: 9999-future.']);
  });

  it('fails on a database of another network, on which the service would not start, and takes one of a sandbox', async () => {
    const path = join(folder, 'network.db');
    const store = await openKeyStore(`sqlite:${path}`);
    await store.create({ name: 'acme', expiresAt: null });
    const onNetwork = { DATABASE_URL: `sqlite:${path}`, SOLANA_RPC_URLS: sandbox.rpcUrl };
    await claimForSandbox(store.database);
    assert.equal((await examine(onNetwork)).status, 0);
    await claimForNetwork(store.database, '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
    await store.close();
    for (const environment of [onNetwork, { DATABASE_URL: onNetwork.DATABASE_URL }]) {
      const result = await examine(environment);
      assert.equal(result.status, 1);
      assert.match(
        said(result).join('\n'),
        /^failure database It belongs to the cluster mainnet-beta, and this service would be on .+\.$/m,
      );
    }
  });

  it('fails on a file that is damaged or is something else, and on a path that is a folder', async () => {
    const text = join(folder, 'text.db');
    writeFileSync(text, 'these are the notes of somebody else, and no database at all\n'.repeat(100));
    for (const path of [text, folder]) {
      const { status, complaints } = await examine({ DATABASE_URL: `sqlite:${path}` });
      assert.deepEqual([status, complaints.map(({ level }) => level)], [1, ['failure']], path);
    }
  });
});

test('The command prints a line for each finding, with the remedy below it', async () => {
  const { status, stdout } = await runCommand('npm run --silent doctor', {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: healthyDatabaseUrl,
    REDIS_URL: '',
  });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^ok {7}configuration {2}Every value can be used\.$/m);
  assert.match(stdout, /^warning {2}upstreams {6}There is one node[^\n]*\n {24}Name a second one/m);
});
