import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { startFakeUpstream, text, upstreamSecret } from '../../setup/fake-upstream.ts';
import { freePort, takenPort } from '../../setup/free-port.ts';
import { healthyNode } from '../nodes/upstream-node.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';

async function startMeasured(t: TestContext, environment: Record<string, string> = {}) {
  const upstream = await startFakeUpstream(t, healthyNode);
  const port = await freePort();
  const service = await startServiceOn(t, upstream.url, { METRICS_PORT: String(port), ...environment });
  const read = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return { upstream, service, port, read };
}

test('Metrics tell of builds, of upstream calls and of their failures, and never of a URL', async (t) => {
  const { upstream, service, port, read } = await startMeasured(t);
  for (let count = 0; count < 3; count++) assert.equal((await service.post(createPath, createBody)).status, 200);
  upstream.behaviour = text(`no access to ${upstreamSecret}`, 500);
  assert.equal((await service.post(createPath, createBody)).status, 502);
  const metrics = await read();
  const value = (sample: string): number =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.slice(sample.length),
    );
  assert.equal(value('splwright_builds_total'), 3);
  assert.equal(value('splwright_blockhash_age_seconds_count'), 3);
  assert.equal(
    value('splwright_upstream_requests_total{upstream="upstream_1",method="getMultipleAccounts",outcome="ok"}'),
    3,
  );
  assert.match(metrics, /method="getMultipleAccounts",outcome="malformed"} [1-9]/);
  assert.equal(value(`splwright_http_request_duration_seconds_count{route="${createPath}",status="200"}`), 3);
  assert.equal(value('splwright_upstream_batch_requests_count'), 4);
  assert.match(metrics, /^splwright_upstream_state\{upstream="upstream_1",state="\w+"\} 1$/m);
  assert.match(metrics, /^process_cpu_seconds_total /m);
  assert.doesNotMatch(metrics, new RegExp(upstreamSecret));
  assert.doesNotMatch(metrics, new RegExp(new URL(upstream.url).host));
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
});

test('A metrics port that is in use', async (t) => {
  const port = await takenPort(t);
  const upstream = await startFakeUpstream(t, healthyNode);
  await assert.rejects(startServiceOn(t, upstream.url, { METRICS_PORT: String(port) }), {
    name: 'ListenError',
    message: `Port ${port} is in use: set METRICS_PORT to another one, or to 0 for no metrics.`,
  });
});
