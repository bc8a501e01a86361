import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { readinessSchema } from '../../../packages/server/src/app/public-schema.ts';
import { assertFaults, readProblem } from '../../../packages/server/test/app/problem.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import {
  type Behaviour,
  resultOf,
  rpcError,
  silence,
  startFakeUpstream,
  text,
  upstreamSecret,
} from '../../setup/fake-upstream.ts';
import { healthyNode } from './upstream-node.ts';
import { startServiceOn } from './upstream-service.ts';

const secret = new RegExp(upstreamSecret);

test('A node that fails is a 502, 503 or 504 in time and never a fact, and its URL and key are shown nowhere', async (t) => {
  const node = await startFakeUpstream(t, healthyNode);
  const service = await startServiceOn(t, node.url, {
    REQUEST_DEADLINE_MS: '1500',
  });
  const denial = JSON.stringify({ error: { code: -32000, message: `invalid api key ${upstreamSecret}` }, id: null });
  for (const [behaviour, code] of [
    [(_call, response) => response.destroy(), 'upstream_unavailable'],
    [text(denial, 401), 'upstream_unavailable'],
    [text(`<html>no access to /?api-key=${upstreamSecret}</html>`, 500), 'upstream_error'],
    [resultOf(() => ({ context: { slot: 1000 }, value: [null] })), 'upstream_error'],
    [silence, 'upstream_timeout'],
  ] satisfies [Behaviour, string][]) {
    node.behaviour = behaviour;
    const response = await service.post(createPath, createBody);
    assert.equal(response.headers.get('retry-after'), code === 'upstream_unavailable' ? '1' : null);
    const problem = await readProblem(response);
    assert.deepEqual([problem.code, problem.errors], [code, undefined], problem.detail);
    assert.doesNotMatch(JSON.stringify([problem, [...response.headers]]), secret);
    await assertFaults(await service.post(createPath, { ...createBody, to_address: createBody.from_address }), [
      ['/to_address', 'same_wallet', /both/],
    ]);
  }
  assert.equal((await fetch(`${service.url}/livez`)).status, 200);
  node.behaviour = healthyNode;
  while ((await service.post(createPath, createBody)).status !== 200);
  assert.ok(service.log.some((line) => line.includes('HTTP 401: \\"invalid api key …\\"')));
  assert.doesNotMatch(service.log.join(), secret);
});

test('With one of two nodes down the service starts, warns, builds and is ready; with both down it says why each is not used', async (t) => {
  const first = await startFakeUpstream(t, (_call, response) => response.destroy());
  const second = await startFakeUpstream(t, healthyNode);
  const service = await startServiceOn(t, `${first.url},${second.url}`);
  const readiness = async (): Promise<unknown> => {
    const response = await fetch(`${service.url}/readyz`);
    const body: unknown = await response.json();
    assert.ok(Value.Check(readinessSchema, body), JSON.stringify(body));
    return [response.status, body];
  };
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

  second.behaviour = rpcError(-32005, `behind ${upstreamSecret}`);
  first.behaviour = text(upstreamSecret, 429);
  let seen = '';
  do seen = JSON.stringify(await readiness());
  while (!seen.includes('HTTP 429') || !seen.includes('-32005: \\"behind …\\"'));
  assert.match(seen, /^\[503,{"status":"not_ready","checks":{"upstream":"failed","keys":"ok"},/);
  assert.doesNotMatch(seen + service.log.join(), secret);
});
