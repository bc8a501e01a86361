import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unavailable } from '../../src/chain/upstream-faults.ts';
import { Metrics } from '../../src/serve/metrics.ts';

/** The samples of one metric, by their labels as written. */
async function samplesOf(metrics: Metrics, name: string): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line));
  return Object.fromEntries(
    lines.map((line) => [/\{(.*)\}/.exec(line)?.[1] ?? '', Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

test('Attempts are counted by upstream, method and how they ended, and timed when they were answered', async () => {
  const metrics = new Metrics();
  metrics.chain.attempted('upstream_1', 'getMultipleAccounts', undefined, 20);
  metrics.chain.attempted('upstream_1', 'getMultipleAccounts', undefined, 30);
  metrics.chain.attempted('upstream_1', 'getMultipleAccounts', 'timeout', 2_000);
  metrics.chain.attempted('upstream_2', 'getLatestBlockhash', 'rate_limited', 1);
  assert.deepEqual(await samplesOf(metrics, 'splwright_upstream_requests_total'), {
    'upstream="upstream_1",method="getMultipleAccounts",outcome="ok"': 2,
    'upstream="upstream_1",method="getMultipleAccounts",outcome="timeout"': 1,
    'upstream="upstream_2",method="getLatestBlockhash",outcome="rate_limited"': 1,
  });
  assert.deepEqual(await samplesOf(metrics, 'splwright_upstream_request_duration_seconds_sum'), {
    'upstream="upstream_1",method="getMultipleAccounts"': 0.05,
  });
});

test('Hedges, batches, builds and the age of blockhashes are counted', async () => {
  const metrics = new Metrics();
  metrics.chain.hedged('upstream_2');
  metrics.chain.batchSent(3, 15);
  metrics.chain.usageChanged('upstream_1', unavailable('connection', 'no'));
  metrics.builds.built(performance.now() - 300);
  metrics.builds.built(undefined);
  assert.deepEqual(await samplesOf(metrics, 'splwright_upstream_hedges_total'), { 'upstream="upstream_2"': 1 });
  assert.deepEqual(await samplesOf(metrics, 'splwright_upstream_batch_requests_sum'), { '': 3 });
  assert.deepEqual(await samplesOf(metrics, 'splwright_upstream_batch_accounts_sum'), { '': 15 });
  assert.deepEqual(await samplesOf(metrics, 'splwright_builds_total'), { '': 2 });
  const ages = await samplesOf(metrics, 'splwright_blockhash_age_seconds_bucket');
  assert.deepEqual([ages['le="0.25"'], ages['le="+Inf"']], [0, 1]);
});

test('Requests are counted and timed by route and status, and refused ones by reason', async () => {
  const metrics = new Metrics();
  metrics.http.answered('/livez', 200, 1);
  metrics.http.answered('/livez', 200, 3);
  metrics.http.answered('/readyz', 503, 5);
  metrics.http.shed('in_flight');
  metrics.http.connectionClosed('waiting_bytes');
  assert.deepEqual(await samplesOf(metrics, 'splwright_http_request_duration_seconds_count'), {
    'route="/livez",status="200"': 2,
    'route="/readyz",status="503"': 1,
  });
  assert.deepEqual(await samplesOf(metrics, 'splwright_http_requests_shed_total'), { 'reason="in_flight"': 1 });
  const closed = await samplesOf(metrics, 'splwright_connections_closed_total');
  assert.deepEqual(closed, { 'bound="waiting_bytes"': 1 });
});

test('Requests that a limit refuses are counted by key and code, and those of more than a hundred keys together', async () => {
  const metrics = new Metrics();
  for (let key = 0; key < 102; key += 1) metrics.http.limited(`key_${key}`, 'rate_limited');
  const limited = await samplesOf(metrics, 'splwright_http_requests_limited_total');
  assert.equal(limited['key_id="key_99",code="rate_limited"'], 1);
  assert.deepEqual([limited['key_id="other",code="rate_limited"'], Object.keys(limited).length], [2, 101]);
});

test('The state and the lag of upstreams are those of the moment', async () => {
  const metrics = new Metrics();
  const upstream = { name: 'upstream_1', state: 'closed' as 'closed' | 'open', slotLag: 3n };
  const fresh = { name: 'upstream_2', state: 'foreign' as const, slotLag: undefined };
  metrics.watch({
    upstreams: () => [upstream, fresh],
    consensus: () => 'alpenglow',
    standstillMs: () => 12_500,
    requestsInFlight: () => 7,
    isRedisReachable: undefined,
  });
  const states = async (): Promise<readonly string[]> =>
    Object.entries(await samplesOf(metrics, 'splwright_upstream_state'))
      .filter(([, value]) => value === 1)
      .map(([labels]) => labels);
  assert.deepEqual(await states(), ['upstream="upstream_1",state="closed"', 'upstream="upstream_2",state="foreign"']);
  upstream.state = 'open';
  assert.deepEqual((await states())[0], 'upstream="upstream_1",state="open"');
  assert.deepEqual(await samplesOf(metrics, 'splwright_upstream_slot_lag'), { 'upstream="upstream_1"': 3 });
  assert.deepEqual(await samplesOf(metrics, 'splwright_http_requests_in_flight'), { '': 7 });
  assert.deepEqual(await samplesOf(metrics, 'splwright_consensus'), {
    'consensus="alpenglow"': 1,
    'consensus="tower_bft"': 0,
  });
  assert.deepEqual(await samplesOf(metrics, 'splwright_head_standstill_seconds'), { '': 12.5 });
});

test('The process is measured too', async () => {
  assert.ok(Object.keys(await samplesOf(new Metrics(), 'process_resident_memory_bytes')).length > 0);
});

const sources = {
  upstreams: () => [],
  consensus: () => undefined,
  standstillMs: () => 0,
  requestsInFlight: () => 0,
};

test('What the sponsor has left is absent while it cannot be read, and without a sponsor', async () => {
  const metrics = new Metrics();
  let balance: bigint | undefined = 50_000_000n;
  metrics.watch({ ...sources, isRedisReachable: undefined, sponsorBalance: () => balance });
  const name = 'splwright_sponsor_balance_lamports';
  assert.deepEqual(await samplesOf(metrics, name), { '': 50_000_000 });
  balance = undefined;
  assert.deepEqual(await samplesOf(metrics, name), {});
  const without = new Metrics();
  without.watch({ ...sources, isRedisReachable: undefined });
  assert.doesNotMatch(await without.text(), /splwright_sponsor/);
});

test('Whether Redis shares the rate limits is said where it is to, and nowhere else', async () => {
  const shared = new Metrics();
  let isReachable = true;
  shared.watch({ ...sources, isRedisReachable: () => isReachable });
  assert.deepEqual(await samplesOf(shared, 'splwright_rate_limit_redis_up'), { '': 1 });
  isReachable = false;
  assert.deepEqual(await samplesOf(shared, 'splwright_rate_limit_redis_up'), { '': 0 });
  const alone = new Metrics();
  alone.watch({ ...sources, isRedisReachable: undefined });
  assert.deepEqual(await samplesOf(alone, 'splwright_rate_limit_redis_up'), {});
});
