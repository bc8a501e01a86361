import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../setup/free-port.ts';
import { assertInstalled } from '../setup/not-installed.ts';
import { repository } from '../setup/process.ts';
import { promtool, startPrometheus, type TestPrometheus } from '../setup/prometheus.ts';
import { startTestService } from '../setup/service.ts';
import { named } from '../setup/wallets.ts';

// Here, because a hook that fails cancels the tests of its suite.
assertInstalled('prometheus', 'prometheus');
const folder = join(repository, 'deploy/prometheus');

describe('the alert rules', () => {
  it('are valid, fire where they should, and not where they should not', () => {
    assert.match(promtool(folder, 'check', 'rules', 'splwright.rules.yaml'), /SUCCESS: 12 rules/);
    assert.match(promtool(folder, 'test', 'rules', 'splwright.rules.test.yaml'), /SUCCESS/);
    assert.match(promtool(folder, 'check', 'config', 'prometheus.yaml'), /SUCCESS: 1 rule files found/);
  });

  it('have a test each', () => {
    const rules = readFileSync(join(folder, 'splwright.rules.yaml'), 'utf8').match(/(?<=alert: )\w+/g);
    const tests = readFileSync(join(folder, 'splwright.rules.test.yaml'), 'utf8').match(/(?<=alertname: )\w+/g);
    assert.deepEqual(new Set(tests), new Set(rules));
  });
});

describe('a Prometheus that reads a running service', () => {
  const cleanups: (() => Promise<void>)[] = [];
  const t = { after: (finish: () => Promise<void>) => void cleanups.push(finish) };
  after(async () => {
    for (const finish of cleanups.reverse()) await finish();
  });
  let prometheus: TestPrometheus;

  before(async () => {
    const metricsPort = await freePort();
    const service = await startTestService(t, { METRICS_PORT: String(metricsPort) });
    prometheus = await startPrometheus(t, metricsPort);
    const { wallets, mints } = service.sandbox.world;
    const body = {
      from_address: named(wallets, 'alice').address,
      to_address: named(wallets, 'bob').address,
      token_mint_address: named(mints, 'USDC').address,
      amount: '1',
    };
    // Rates need two readings with requests between them: it goes on until Prometheus has seen some.
    for (let isSeen = false; !isSeen; ) {
      for (let count = 0; count < 20; count++) assert.equal((await service.post('/v1/transfers', body)).status, 200);
      isSeen = (await prometheus.query('sum(rate(splwright_builds_total[1m])) > 0')).length > 0;
    }
  });

  it('answers every query of the dashboard, each from what the service says', async () => {
    const queries = dashboardQueries();
    assert.ok(queries.length >= 20);
    const empty: string[] = [];
    for (const { title, expression } of queries) {
      const series = await prometheus.query(expression);
      if (series.length === 0) empty.push(title);
      // A method that was not called meanwhile has no duration.
      else
        assert.ok(
          series.some(({ value }) => Number.isFinite(value)),
          title,
        );
    }
    // What has not happened yet, and Redis, which this service has none of.
    assert.deepEqual(empty, [
      'Requests refused as overloaded',
      'Calls sent to a second node',
      'Redis shares the rate limits',
    ]);
  });

  it('has loaded the rules, and none of them fires', async () => {
    assert.equal((await prometheus.alertNames()).length, 12);
    assert.deepEqual(await prometheus.query('ALERTS{alertstate="firing"}'), []);
  });

  it('knows every metric that a rule or the dashboard names', async () => {
    const texts = [readFileSync(join(folder, 'splwright.rules.yaml'), 'utf8'), JSON.stringify(dashboardQueries())];
    const names = new Set(texts.flatMap((text) => text.match(/\b(?:splwright|nodejs|process)_[a-z0-9_]+/g) ?? []));
    const metadata = readFileSync(join(repository, 'docs/upstreams.md'), 'utf8');
    for (const name of names) {
      const base = name.replace(/_(?:bucket|count|sum)$/, '');
      const isServed = (await prometheus.query(`count({__name__=~"${base}(_bucket)?"})`)).length > 0;
      assert.ok(isServed || metadata.includes(`\`${base}\``), name);
    }
  });
});

// Grafana fills its variables in: all instances, and an interval of some readings.
function dashboardQueries(): { title: string; expression: string }[] {
  const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
    readFileSync(join(repository, 'deploy/grafana/splwright.json'), 'utf8'),
  );
  return dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      expression: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    })),
  );
}
