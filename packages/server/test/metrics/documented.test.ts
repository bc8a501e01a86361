import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { repository } from '../../../../test/setup/process.ts';
import { Metrics } from '../../src/metrics/metrics.ts';

test('docs/upstreams.md lists every metric of the service, and no other', async () => {
  const metrics = new Metrics();
  metrics.watch({
    upstreams: () => [],
    consensus: () => undefined,
    standstillMs: () => 0,
    requestsInFlight: () => 0,
    isRedisReachable: () => true,
  });
  const served = [...(await metrics.text()).matchAll(/^# HELP (splwright_\w+)/gm)].map(([, name]) => name);
  const text = readFileSync(`${repository}docs/upstreams.md`, 'utf8');
  const documented = [...text.matchAll(/^\| `(splwright_\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(documented.sort(), served.sort());
});
