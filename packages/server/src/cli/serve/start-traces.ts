import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Traces } from '../../traces/traces.ts';

/**
 * Starts tracing requests when there is a collector to send traces to; otherwise nothing of it is loaded.
 *
 * `logger` is asked for when there is something to report.
 */
export async function startTraces(
  { traces }: Config,
  version: string,
  logger: () => Logger,
): Promise<Traces | undefined> {
  if (!traces) return undefined;
  // Loaded only when used: it takes some 100 ms.
  const { Traces } = await import('../../traces/traces.ts');
  return new Traces({
    ...traces,
    version,
    onLoss: (reason) =>
      logger().warn({ reason }, 'traces: the collector does not take them; they are lost until it does'),
    onRecovery: (spans) => logger().info({ lost_spans: spans }, 'traces: the collector takes them again'),
  });
}
