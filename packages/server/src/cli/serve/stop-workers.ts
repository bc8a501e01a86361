import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { untilQuiet } from './until-quiet.ts';
import { isMessageToPrimary, type MessageToPrimary, type MessageToWorker, tellWorker } from './worker-messages.ts';

/**
 * Takes all workers through the steps of the shutdown together, and resolves when none is left. A worker that released its
 * replies before the others have closed their listeners would send its clients to them.
 */
export async function stopWorkers(workers: readonly Worker[], hurry: AbortSignal): Promise<void> {
  const tellAll = (message: MessageToWorker): void => {
    for (const worker of workers) tellWorker(worker, message);
  };
  const running = workers.map((worker) => ({ worker, ended: untilItEnds(worker) }));
  const askAll = (message: MessageToWorker, ...kinds: readonly MessageToPrimary['kind'][]) =>
    Promise.all(
      running.map(({ worker, ended }) => {
        const reply = untilItSays(worker, kinds, ended);
        tellWorker(worker, message);
        return reply;
      }),
    );
  hurry.addEventListener('abort', () => tellAll({ kind: 'stop', isHurried: true }));

  await askAll({ kind: 'stop', isHurried: hurry.aborted }, 'holding', 'closed');
  await untilQuiet(async () => {
    const counts = await askAll({ kind: 'count' }, 'counted');
    return counts.reduce((sum, reply) => sum + (reply?.kind === 'counted' ? reply.arrivals : 0), 0);
  });
  await askAll({ kind: 'close' }, 'closed');
  tellAll({ kind: 'release' });
  await Promise.all(running.map(({ ended }) => ended));
}

/** Resolves with the next message of one of these kinds, or with `undefined` once the worker has ended. */
function untilItSays(
  worker: Worker,
  kinds: readonly MessageToPrimary['kind'][],
  ended: Promise<unknown>,
): Promise<MessageToPrimary | undefined> {
  return new Promise((resolve) => {
    const listen = (message: unknown): void => {
      if (!isMessageToPrimary(message) || !kinds.includes(message.kind)) return;
      worker.off('message', listen);
      resolve(message);
    };
    worker.on('message', listen);
    void ended.then(() => resolve(undefined));
  });
}

/** Resolves with the signal or the exit status that ended a worker. */
export async function untilItEnds(worker: Worker): Promise<string> {
  if (!worker.isDead()) await once(worker, 'exit');
  const { exitCode, signalCode } = worker.process;
  return signalCode ?? `exit status ${exitCode}`;
}
