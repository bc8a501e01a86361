import { createServer } from 'node:http';
import { ClusterRegistry } from '@prometheus-io/client';

/** The metrics to serve. */
export interface MetricsText {
  contentType: string;
  text(): Promise<string>;
}

/** Serves the metrics at `/metrics` without a key: only the address of the listener protects them. */
export async function startMetricsServer(
  metrics: MetricsText,
  listener: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await metrics.text();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listener, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : listener.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

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
