import type { Worker } from 'node:cluster';
import { createWorkerCounter } from '../app/limits/grouped-counter.ts';
import type { Config } from '../config.ts';
import { type ProcessContext, untilAborted } from './serve-context.ts';
import { workerMetrics } from './start-metrics.ts';
import { startService } from './start-service.ts';
import { isMessageToWorker, type StartMessage, tellPrimary } from './worker-messages.ts';

/**
 * Runs the service as one of several processes on one port, until the primary process or a signal stops it.
 *
 * Throws what `startService` throws.
 */
export async function runWorker(
  config: Config,
  worker: Worker,
  { version, stop, hurry, logLine }: Omit<ProcessContext, 'stdout' | 'settings'>,
): Promise<void> {
  const started = Promise.withResolvers<StartMessage | undefined>();
  const toClose = Promise.withResolvers<void>();
  const stopped = new AbortController();
  const hurried = new AbortController();
  worker.on('message', (message: unknown) => {
    if (!isMessageToWorker(message)) return;
    if (message.kind === 'start') started.resolve(message);
    if (message.kind === 'stop') {
      started.resolve(undefined);
      stopped.abort();
      if (message.isHurried) hurried.abort();
    }
  });
  tellPrimary(worker, { kind: 'hello' });
  const start = await started.promise;
  if (start === undefined) return;

  const service = await startService(config, version, logLine, {
    sandbox: start.sandbox ?? undefined,
    counter: config.redisUrl === undefined ? createWorkerCounter() : undefined,
    metrics: start.isMeasured ? workerMetrics() : undefined,
  });
  const { url, hasActiveKey, otherLedgers } = service;
  tellPrimary(worker, { kind: 'listening', url, hasActiveKey, otherLedgers });
  await Promise.race([untilAborted(stop), untilAborted(stopped.signal)]);
  const { drain } = service;
  worker.on('message', (message: unknown) => {
    if (!isMessageToWorker(message)) return;
    if (message.kind === 'count') tellPrimary(worker, { kind: 'counted', arrivals: drain.arrivals });
    if (message.kind === 'close') toClose.resolve();
    if (message.kind === 'release') drain.release();
  });
  await service.serveOn(AbortSignal.any([hurry, hurried.signal]));
  tellPrimary(worker, { kind: 'holding' });
  await toClose.promise;
  const closed = service.close();
  await drain.listenerClosed;
  tellPrimary(worker, { kind: 'closed' });
  await closed;
}
