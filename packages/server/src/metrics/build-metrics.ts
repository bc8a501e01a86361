import type { BuildObserver } from '../service/transfer-builder.ts';
import type { MetricMaker } from './metric-maker.ts';

/** Makes the metrics of built transactions, and returns the observer that counts them. */
export function buildMetrics(make: MetricMaker): BuildObserver {
  // Divides splwright_upstream_requests_total into upstream calls per build.
  const builds = make.counter({ name: 'splwright_builds_total', help: 'Transactions built' });
  const ages = make.histogram({
    name: 'splwright_blockhash_age_seconds',
    help: 'The age of the blockhash in a transaction when it was built, counted from when it was asked for',
    buckets: [0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10, 20],
  });
  return {
    built: (blockhashAskedAt) => {
      builds.inc();
      if (blockhashAskedAt !== undefined) ages.observe((performance.now() - blockhashAskedAt) / 1000);
    },
  };
}
