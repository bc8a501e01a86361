import { Counter, Histogram, type Registry } from 'prom-client';
import type { ChainObserver } from '../chain/chain-observer.ts';

/** Registers the metrics of upstreams, and returns the observer that counts them. */
export function upstreamMetrics(registry: Registry): ChainObserver {
  const registers = [registry];
  const requests = new Counter({
    name: 'splwright_upstream_requests_total',
    help: 'Attempts to call a method of an upstream, by how they ended: ok, or a kind of fault',
    labelNames: ['upstream', 'method', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'splwright_upstream_request_duration_seconds',
    help: 'How long the attempts took that were answered',
    labelNames: ['upstream', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const hedges = new Counter({
    name: 'splwright_upstream_hedges_total',
    help: 'Calls sent to an upstream too because another one was slow to answer',
    labelNames: ['upstream'],
    registers,
  });
  const disagreements = new Counter({
    name: 'splwright_upstream_disagreements_total',
    help: 'Calls to which upstreams that must agree gave different answers, by whether enough agreed in the end',
    labelNames: ['resolved'],
    registers,
  });
  const batchRequests = new Histogram({
    name: 'splwright_upstream_batch_requests',
    help: 'Requests that shared one call for accounts',
    buckets: [1, 2, 4, 8, 12, 16, 24, 32, 50],
    registers,
  });
  const batchAccounts = new Histogram({
    name: 'splwright_upstream_batch_accounts',
    help: 'Accounts in one call',
    buckets: [5, 7, 10, 20, 40, 60, 80, 100],
    registers,
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
