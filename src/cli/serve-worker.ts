import type { Worker } from 'node:cluster';
import type { Config } from '../config.ts';
import { MessageLeaseSource } from '../limits/message-lease-source.ts';
import type { ProcessContext } from './serve-context.ts';
import { workerMetrics } from './start-metrics.ts';
import { startService } from './start-service.ts';
import { untilAborted } from './until-aborted.ts';
import { isMessageToWorker, type StartMessage, tellPrimary } from './worker-messages.ts';

/**
 * Runs the service as one of several processes on one port, until the primary process or a signal stops it.
 *
 * Throws what `startService` throws.
 */
export async function runWorker(
  config: Config,
  worker: Worker,
  { version, stop, logLine }: Omit<ProcessContext, 'stdout'>,
): Promise<void> {
  const source = new MessageLeaseSource((question) => tellPrimary(worker, question));
  const started = Promise.withResolvers<StartMessage | undefined>();
  const stopped = new AbortController();
  worker.on('message', (message: unknown) => {
    if (!isMessageToWorker(message)) return;
    if (message.kind === 'leased') source.receive(message);
    if (message.kind === 'start') started.resolve(message);
    if (message.kind === 'stop') {
      started.resolve(undefined);
      stopped.abort();
    }
  });
  tellPrimary(worker, { kind: 'hello' });
  const start = await started.promise;
  if (start === undefined) return;

  const service = await startService(config, version, logLine, {
    sandbox: start.sandbox ?? undefined,
    leases: { source, processes: start.workers },
    metrics: start.isMeasured ? workerMetrics() : undefined,
  });
  tellPrimary(worker, { kind: 'listening', url: service.url, hasActiveKey: service.hasActiveKey });
  await Promise.race([untilAborted(stop), untilAborted(stopped.signal)]);
  await service.close();
}
