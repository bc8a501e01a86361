import { ClusterRegistry } from '@prometheus-io/client';
import type { MetricsText } from './metrics-server.ts';

/** The metrics of all worker processes, added up, for the primary process to serve. */
export class ClusterMetrics implements MetricsText {
  readonly #registry = new ClusterRegistry();

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.clusterMetrics();
  }
}
