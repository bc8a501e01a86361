import { pino } from 'pino';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { batchDeadlineFactor } from '../app/work-of.ts';
import type { Config } from '../config.ts';
import { type ProcessContext, untilAborted } from './serve-context.ts';
import { serveGreeting } from './serve-greeting.ts';
import { startClusterMetrics } from './start-metrics.ts';
import { endpointOf, listenSandbox } from './start-sandbox.ts';
import { WorkerPool } from './worker-pool.ts';

/** How much longer than the drain and the deadline of a batch workers may take before they are killed. */
const stopGraceMs = 5000;

/**
 * Runs the service in `workers` processes on one port, until it is told to stop.
 *
 * This process handles no requests: it runs the sandbox, counts for the rate limits, serves the metrics of all workers, and
 * replaces workers that end. Throws a `ListenError`, a `SandboxMissingError` or a `WorkerStartError`.
 */
export async function runWithWorkers(
  config: Config,
  workers: number,
  { stop, hurry, stdout, settings, logLine }: Omit<ProcessContext, 'version'>,
): Promise<void> {
  const logger = pino({ level: config.logLevel }, { write: logLine });
  // Counts the requests of all workers, by messages of its own.
  new RateLimiterClusterMaster();
  const closers: (() => Promise<void>)[] = [];
  try {
    const metrics = await startClusterMetrics(config, logger);
    if (metrics) closers.push(metrics.close);
    const sandbox = config.solanaRpcUrls.length === 0 ? await listenSandbox(config) : undefined;
    if (sandbox) closers.push(() => sandbox.close());
    const endpoint = sandbox ? endpointOf(sandbox) : null;
    const pool = new WorkerPool({
      count: workers,
      start: { kind: 'start', sandbox: endpoint, isMeasured: metrics !== undefined },
      logger,
      stopMs: config.drainMs + batchDeadlineFactor * config.requestDeadlineMs + stopGraceMs,
    });
    closers.push(() => pool.stop(hurry));
    const { url, hasActiveKey, otherLedgers } = await pool.start();
    const greeted = { url, hasActiveKey, otherLedgers, sandboxRpcUrl: sandbox?.rpcUrl };
    stdout(serveGreeting(greeted, { config, settings }));
    await untilAborted(stop);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
