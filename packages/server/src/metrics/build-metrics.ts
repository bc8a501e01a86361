import { Counter, Histogram, type Registry } from 'prom-client';
import type { BuildObserver } from '../service/transfer-builder.ts';

/** Registers the metrics of built transactions, and returns the observer that counts them. */
export function buildMetrics(registry: Registry): BuildObserver {
  const registers = [registry];
  // Divides splwright_upstream_requests_total into upstream calls per build.
  const builds = new Counter({ name: 'splwright_builds_total', help: 'Transactions built', registers });
  const ages = new Histogram({
    name: 'splwright_blockhash_age_seconds',
    help: 'The age of the blockhash in a transaction when it was built, counted from when it was asked for',
    buckets: [0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10, 20],
    registers,
  });
  return {
    built: (blockhashAskedAt) => {
      builds.inc();
      if (blockhashAskedAt !== undefined) ages.observe((performance.now() - blockhashAskedAt) / 1000);
    },
  };
}
