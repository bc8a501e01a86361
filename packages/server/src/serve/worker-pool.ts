import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Logger } from 'pino';
import { untilQuiet } from './serve-context.ts';
import {
  isMessageToPrimary,
  type ListeningMessage,
  type MessageToPrimary,
  type MessageToWorker,
  type StartMessage,
  tellWorker,
} from './worker-messages.ts';

/** A worker that could not start; the message is a sentence, and `status` the exit status for it. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** How many workers a pool runs, and how it starts and stops them. */
export interface WorkerPoolOptions {
  count: number;
  /** The first message to each of them. */
  start: StartMessage;
  logger: Logger;
  /** How long workers may take to finish before they are killed. */
  stopMs: number;
}

/** A worker that lived this long did not fail at its start. */
const longLifeMs = 10_000;
const maxPauseMs = 30_000;

/** Keeps a number of worker processes running, and replaces those that end. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Set<Worker>();
  readonly #stopping = new AbortController();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts all workers; resolves when every one of them listens. Throws a `WorkerStartError` when one fails. */
  async start(): Promise<ListeningMessage> {
    const workers = Array.from({ length: this.#options.count }, () => this.#fork());
    const [first] = await Promise.all(workers.map(untilItListens));
    if (first === undefined) throw new RangeError('a pool needs a worker');
    for (const worker of workers) void this.#keep(worker);
    return first;
  }

  /** Stops all workers: they drain unless hurried, finish the requests in flight and end. Resolves when all have ended. */
  async stop(hurry: AbortSignal): Promise<void> {
    this.#stopping.abort();
    const cutOff = setTimeout(() => {
      for (const worker of this.#workers) worker.process.kill('SIGKILL');
    }, this.#options.stopMs);
    await stopWorkers([...this.#workers], hurry);
    clearTimeout(cutOff);
  }

  #fork(): Worker {
    const worker = cluster.fork();
    this.#workers.add(worker);
    // A message to a worker that has just died cannot be delivered; its `exit` event reports the death.
    worker.on('error', () => undefined);
    worker.once('exit', () => this.#workers.delete(worker));
    worker.on('message', (message: unknown) => {
      if (!isMessageToPrimary(message)) return;
      if (message.kind === 'hello')
        tellWorker(worker, this.#stopping.signal.aborted ? { kind: 'stop', isHurried: true } : this.#options.start);
      if (this.#stopping.signal.aborted) return;
      // A worker that a signal stopped alone: the others accept its connections.
      if (message.kind === 'holding') tellWorker(worker, { kind: 'close' });
      if (message.kind === 'closed') tellWorker(worker, { kind: 'release' });
    });
    return worker;
  }

  /** Replaces a worker whenever it ends, until the pool stops. */
  async #keep(first: Worker): Promise<void> {
    let worker = first;
    let startedAt = performance.now();
    for (let shortLives = 0; ; ) {
      const how = await untilItEnds(worker);
      if (this.#stopping.signal.aborted) return;
      shortLives = performance.now() - startedAt < longLifeMs ? shortLives + 1 : 0;
      // After the first replacement the pauses grow: a worker that always dies must not keep the machine busy.
      const pauseMs = shortLives < 2 ? 0 : Math.min(maxPauseMs, 1000 * 2 ** (shortLives - 2));
      const details = { worker_pid: worker.process.pid, how, pause_milliseconds: pauseMs };
      this.#options.logger.error(details, 'a worker process ended; another takes its place');
      const { signal } = this.#stopping;
      await setTimeoutPromise(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      worker = this.#fork();
      startedAt = performance.now();
    }
  }
}

function untilItListens(worker: Worker): Promise<ListeningMessage> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: unknown) => {
      if (!isMessageToPrimary(message)) return;
      if (message.kind === 'listening') resolve(message);
      if (message.kind === 'failed') reject(new WorkerStartError(message.message, message.status));
    });
    void untilItEnds(worker).then((how) => {
      reject(new WorkerStartError(`A worker process ended at its start: ${how}.`, 1));
    });
  });
}

/**
 * Takes all workers through the steps of the shutdown together, and resolves when all have ended. A worker that released its
 * replies before the others have closed their listeners would send its clients to them.
 */
async function stopWorkers(workers: readonly Worker[], hurry: AbortSignal): Promise<void> {
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
async function untilItEnds(worker: Worker): Promise<string> {
  if (!worker.isDead()) await once(worker, 'exit');
  const { exitCode, signalCode } = worker.process;
  return signalCode ?? `exit status ${exitCode}`;
}
