import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { readinessSchema } from '../../../packages/server/src/wire/schemas/public-schema.ts';
import { genesisHash, nodeAt } from '../../../packages/server/test/chain/upstream-nodes.ts';
import { createBody, createPath } from '../../../packages/server/test/http/sample-bodies.ts';
import {
  type Behaviour,
  resultOf,
  rpcError,
  startFakeUpstream,
  text,
  upstreamSecret,
} from '../../setup/fake-upstream.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { runCli } from '../program/cli-process.ts';
import { healthyNode } from './upstream-node.ts';
import { startServiceOn } from './upstream-service.ts';

const otherGenesis = '11111111111111111111111111111112';
const withGenesis: Behaviour = (call, response) =>
  (call.method === 'getGenesisHash' ? resultOf(() => genesisHash) : healthyNode)(call, response);

test('Upstreams of different clusters stop the start with status 78, and without their URLs', async (t) => {
  const first = await startFakeUpstream(t, withGenesis);
  const second = await startFakeUpstream(t, nodeAt({ slot: 1_000, genesis: otherGenesis }));
  const { status, stdout, stderr } = await runCli(t, ['serve'], {
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: `sqlite:${temporaryFolder(t)}/keys.db`,
    SOLANA_RPC_URLS: `${first.url},${second.url}`,
  });
  assert.equal(status, 78, stdout);
  assert.match(stderr, /^SOLANA_RPC_URLS names different clusters: .*\n$/);
  for (const hash of [genesisHash, otherGenesis]) assert.match(stderr, new RegExp(hash));
  assert.doesNotMatch(stdout + stderr, new RegExp(upstreamSecret));
});

test('With one of two upstreams down', async (t) => {
  const first = await startFakeUpstream(t, (_call, response) => response.destroy());
  const second = await startFakeUpstream(t, withGenesis);
  const service = await startServiceOn(t, `${first.url},${second.url}`);
  const readiness = async (): Promise<unknown> => {
    const response = await fetch(`${service.url}/readyz`);
    const body: unknown = await response.json();
    assert.ok(Value.Check(readinessSchema, body), JSON.stringify(body));
    return [response.status, body];
  };

  await t.test('the service starts, warns of it, builds, and is ready', async () => {
    const warnings = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    assert.deepEqual(
      warnings.map(({ upstream, kind, msg }) => [upstream, kind, msg]),
      [['upstream_1', 'connection', 'upstream not used']],
    );
    assert.equal((await service.post(createPath, createBody)).status, 200);
    assert.deepEqual(await readiness(), [
      200,
      {
        status: 'ready',
        checks: { upstream: 'ok', keys: 'ok' },
        upstreams: {
          upstream_1: { status: 'failed', reason: 'the connection failed' },
          upstream_2: { status: 'ok', slot_lag: 0 },
        },
        consensus: 'tower_bft',
      },
    ]);
  });

  await t.test('it is not ready when the other one fails too, and reports the reason of each', async () => {
    second.behaviour = rpcError(-32005, `behind ${upstreamSecret}`);
    first.behaviour = text(upstreamSecret, 429);
    let seen: unknown;
    do seen = await readiness();
    while (!JSON.stringify(seen).includes('HTTP 429') || !JSON.stringify(seen).includes('-32005'));
    const reason = /it answered \w+ with error -32005: \\"behind …\\"/
      .exec(JSON.stringify(seen))?.[0]
      ?.replaceAll('\\', '');
    assert.deepEqual(seen, [
      503,
      {
        status: 'not_ready',
        checks: { upstream: 'failed', keys: 'ok' },
        upstreams: {
          upstream_1: { status: 'failed', reason: 'it answered HTTP 429' },
          upstream_2: { status: 'failed', reason, slot_lag: 0 },
        },
      },
    ]);
    for (const line of service.log) assert.doesNotMatch(line, new RegExp(upstreamSecret));
  });
});

test('An API key that the node refuses is named in the refusal, in readiness and in the log, and never shown', async (t) => {
  const node = await startFakeUpstream(t, withGenesis);
  const service = await startServiceOn(t, node.url, { BLOCKHASH_MAX_AGE_MS: '0' });
  const denial = { jsonrpc: '2.0', error: { code: -32000, message: `invalid api key ${upstreamSecret}` }, id: null };
  node.behaviour = text(JSON.stringify(denial));
  const said = 'with error -32000: "invalid api key …"';
  const refused = await service.post(createPath, createBody);
  const refusal = await refused.text();
  assert.equal(refused.status, 503, refusal);
  assert.ok(refusal.includes(said.replaceAll('"', '\\"')), refusal);
  node.behaviour = text(JSON.stringify(denial), 401);
  let readiness = '';
  do readiness = await (await fetch(`${service.url}/readyz`)).text();
  while (!readiness.includes('HTTP 401: \\"invalid api key …\\"'));
  assert.ok(
    service.log.some((line) => line.includes('HTTP 401: \\"invalid api key …\\"')),
    service.log.join('\n'),
  );
  assert.doesNotMatch(refusal + readiness + service.log.join(), new RegExp(upstreamSecret));
});
