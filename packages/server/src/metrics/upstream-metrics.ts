import type { ChainObserver } from '../chain/chain-observer.ts';
import type { MetricMaker } from './metric-maker.ts';

/** Makes the metrics of upstreams, and returns the observer that counts them. */
export function upstreamMetrics(make: MetricMaker): ChainObserver {
  const requests = make.counter({
    name: 'splwright_upstream_requests_total',
    help: 'Attempts to call a method of an upstream, by how they ended: ok, or a kind of fault',
    labelNames: ['upstream', 'method', 'outcome'],
  });
  const durations = make.durations({
    name: 'splwright_upstream_request_duration_seconds',
    help: 'How long the attempts took that were answered',
    labelNames: ['upstream', 'method'],
  });
  const hedges = make.counter({
    name: 'splwright_upstream_hedges_total',
    help: 'Calls sent to an upstream too because another one was slow to answer',
    labelNames: ['upstream'],
  });
  const disagreements = make.counter({
    name: 'splwright_upstream_disagreements_total',
    help: 'Calls to which upstreams that must agree gave different answers, by whether enough agreed in the end',
    labelNames: ['resolved'],
  });
  const batchRequests = make.histogram({
    name: 'splwright_upstream_batch_requests',
    help: 'Requests that shared one call for accounts',
    buckets: [1, 2, 4, 8, 12, 16, 24, 32, 50],
  });
  const batchAccounts = make.histogram({
    name: 'splwright_upstream_batch_accounts',
    help: 'Accounts in one call',
    buckets: [5, 7, 10, 20, 40, 60, 80, 100],
  });
  return {
    attempted: (upstream, method, fault, durationMs) => {
      requests.inc({ upstream, method, outcome: fault ?? 'ok' });
      if (fault === undefined) durations.observe({ upstream, method }, durationMs / 1000);
    },
    hedged: (upstream) => hedges.inc({ upstream }),
    usageChanged: () => undefined,
    disagreed: (isResolved) => disagreements.inc({ resolved: String(isResolved) }),
    batchSent: (requestCount, accountCount) => {
      batchRequests.observe(requestCount);
      batchAccounts.observe(accountCount);
    },
  };
}
