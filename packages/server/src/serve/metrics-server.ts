import { createServer } from 'node:http';
import { ClusterRegistry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { ListenError, openListener } from './listen.ts';
import { Metrics } from './metrics.ts';

/** Metrics, and how to stop serving them. */
export interface RunningMetrics {
  metrics: Metrics;
  close(): Promise<void>;
}

/** The text of metrics, and its media type. */
interface MetricsText {
  contentType: string;
  text(): Promise<string>;
}

// The port that Prometheus exporters of OpenTelemetry use.
const usualPort = 9464;

/**
 * Serves the metrics of this process; resolves with `undefined` when they are turned off, or when the usual port is taken.
 *
 * Throws a `ListenError` when a configured port is not available.
 */
export function startMetrics(config: Config, logger: Logger): Promise<RunningMetrics | undefined> {
  return serve(config, logger, () => new Metrics());
}

/** Serves the metrics of all workers, added up, as `startMetrics` does those of a single process. */
export function startClusterMetrics(config: Config, logger: Logger): Promise<{ close(): Promise<void> } | undefined> {
  return serve(config, logger, () => {
    const registry = new ClusterRegistry();
    return { contentType: registry.contentType, text: () => registry.clusterMetrics() };
  });
}

/** Returns the metrics of a worker, which the primary process serves. */
export function workerMetrics(): RunningMetrics {
  const metrics = new Metrics();
  metrics.answerPrimary();
  return { metrics, close: async () => undefined };
}

async function serve<Served extends MetricsText>(
  config: Config,
  logger: Logger,
  make: () => Served,
): Promise<{ metrics: Served; close(): Promise<void> } | undefined> {
  const isSandbox = config.solanaRpcUrls.length === 0;
  const port = config.metricsPort ?? (isSandbox ? 0 : usualPort);
  if (port === 0) return undefined;
  const metrics = make();
  const host = config.metricsHost;
  try {
    const close = await openListener({ variable: 'METRICS_PORT', port, hostVariable: 'METRICS_HOST', host }, () =>
      listen(metrics, { host, port }),
    );
    return { metrics, close };
  } catch (error) {
    if (!(error instanceof ListenError) || config.metricsPort !== undefined) throw error;
    logger.warn({ reason: error.message }, 'metrics are off');
    return undefined;
  }
}

/** Serves metrics at `/metrics` without a key: only the address of the listener protects them. Returns what closes it. */
async function listen(metrics: MetricsText, listener: { host: string; port: number }): Promise<() => Promise<void>> {
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
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
