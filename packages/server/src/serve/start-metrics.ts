import type { Logger } from 'pino';
import { Metrics } from '../app/metrics.ts';
import { ClusterMetrics, type MetricsText, startMetricsServer } from '../app/metrics-server.ts';
import type { Config } from '../config.ts';
import { ListenError, openListener } from './listen.ts';

/** Metrics, and how to stop serving them. */
export interface RunningMetrics {
  metrics: Metrics;
  close(): Promise<void>;
}

// The port that Prometheus exporters of OpenTelemetry use.
const usualPort = 9464;

/**
 * Serves the metrics; resolves with `undefined` when they are turned off, or when the usual port is taken.
 *
 * Throws a `ListenError` when a configured port is not available.
 */
export function startMetrics(config: Config, logger: Logger): Promise<RunningMetrics | undefined> {
  return serve(config, logger, () => new Metrics());
}

/** Serves the metrics of all workers, as `startMetrics` does those of a single process. */
export async function startClusterMetrics(
  config: Config,
  logger: Logger,
): Promise<{ close(): Promise<void> } | undefined> {
  return serve(config, logger, () => new ClusterMetrics());
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
    const server = await openListener({ variable: 'METRICS_PORT', port, hostVariable: 'METRICS_HOST', host }, () =>
      startMetricsServer(metrics, { host, port }),
    );
    return { metrics, close: server.close };
  } catch (error) {
    if (!(error instanceof ListenError) || config.metricsPort !== undefined) throw error;
    logger.warn({ reason: error.message }, 'metrics are off');
    return undefined;
  }
}
