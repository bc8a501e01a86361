import { pino } from 'pino';
import type { Config } from '../config.ts';
import { answerLeaseQuestion } from '../limits/message-lease-source.ts';
import { WindowCounter } from '../limits/window-counter.ts';
import type { ProcessContext } from './serve-context.ts';
import { serveGreeting } from './serve-greeting.ts';
import { startClusterMetrics } from './start-metrics.ts';
import { listenSandbox } from './start-sandbox.ts';
import { untilAborted } from './until-aborted.ts';
import { WorkerPool } from './worker-pool.ts';

/** What workers may take beyond the deadline of a request before they are ended by force. */
const stopGraceMilliseconds = 5000;

/**
 * Runs the service in so many worker processes on one port, until it is told to stop.
 *
 * This process takes no requests: it keeps what the workers share, the sandbox and the budgets of rate limits, serves the
 * metrics of all, and replaces workers that end. Throws a `ListenError` or a `WorkerStartError`.
 */
export async function runWithWorkers(
  config: Config,
  workers: number,
  { stop, stdout, logLine }: Omit<ProcessContext, 'version'>,
): Promise<void> {
  const logger = pino({ level: config.logLevel }, { write: logLine });
  const counter = new WindowCounter(() => performance.now());
  const closers: (() => Promise<void>)[] = [];
  try {
    const metrics = await startClusterMetrics(config, logger);
    if (metrics) closers.push(metrics.close);
    const sandbox = config.solanaRpcUrls.length === 0 ? await listenSandbox(config) : undefined;
    if (sandbox) closers.push(() => sandbox.close());
    const endpoint = sandbox ? { rpcUrl: sandbox.rpcUrl, world: sandbox.world } : null;
    const pool = new WorkerPool({
      count: workers,
      start: { kind: 'start', workers, sandbox: endpoint, isMeasured: metrics !== undefined },
      answer: (message) => (message.kind === 'lease' ? answerLeaseQuestion(message, counter) : undefined),
      logger,
      stopMilliseconds: config.requestDeadlineMilliseconds + stopGraceMilliseconds,
    });
    closers.push(() => pool.stop());
    const { url, hasActiveKey } = await pool.start();
    stdout(serveGreeting({ url, hasActiveKey, sandboxRpcUrl: sandbox?.rpcUrl }));
    await untilAborted(stop);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
