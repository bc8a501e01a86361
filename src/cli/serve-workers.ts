import { pino } from 'pino';
import type { Config } from '../config.ts';
import { answerLeaseQuestion } from '../limits/message-lease-source.ts';
import { WindowCounter } from '../limits/window-counter.ts';
import type { ProcessContext } from './serve-context.ts';
import { serveGreeting } from './serve-greeting.ts';
import { listenSandbox } from './start-sandbox.ts';
import { untilAborted } from './until-aborted.ts';
import { WorkerPool } from './worker-pool.ts';

/** What workers may take beyond the deadline of a request before they are ended by force. */
const stopGraceMilliseconds = 5000;

/**
 * Runs the service in so many worker processes on one port, until it is told to stop.
 *
 * This process takes no requests: it keeps what the workers share, the sandbox and the budgets of rate limits, and replaces
 * workers that end. Throws a `ListenError` for the sandbox's port, and a `WorkerStartError`.
 */
export async function runWithWorkers(
  config: Config,
  workers: number,
  { stop, stdout, logLine }: Omit<ProcessContext, 'version'>,
): Promise<void> {
  const sandbox = config.solanaRpcUrls.length === 0 ? await listenSandbox(config) : undefined;
  const counter = new WindowCounter(() => performance.now());
  const pool = new WorkerPool({
    count: workers,
    start: { kind: 'start', workers, sandbox: sandbox ? { rpcUrl: sandbox.rpcUrl, world: sandbox.world } : null },
    answer: (message) => (message.kind === 'lease' ? answerLeaseQuestion(message, counter) : undefined),
    logger: pino({ level: config.logLevel }, { write: logLine }),
    stopMilliseconds: config.requestDeadlineMilliseconds + stopGraceMilliseconds,
  });
  try {
    const { url, hasActiveKey } = await pool.start();
    stdout(serveGreeting({ url, hasActiveKey, sandboxRpcUrl: sandbox?.rpcUrl }));
    await untilAborted(stop);
  } finally {
    await pool.stop();
    await sandbox?.close();
  }
}
