import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RateLimiterCluster, RateLimiterClusterMaster, RateLimiterMemory } from 'rate-limiter-flexible';
import { counterOptions, type RequestCounter } from '../app/limits/rate-limiter.ts';
import { batchDeadlineFactor } from '../app/work-of.ts';
import type { Config } from '../config.ts';
import { claimForSandbox } from '../store/cluster.ts';
import { startClusterMetrics, workerMetrics } from './metrics-server.ts';
import { endpointOf, listenSandbox, type SandboxEndpoint } from './start-sandbox.ts';
import { type Listening, type RunningService, startService } from './start-service.ts';

/** A worker that could not start; the message is a sentence. */
class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly exitStatus: number;

  constructor(message: string, exitStatus: number) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

/** The variable by which a worker gets what it shares with the others, as JSON. */
export const sharedVariable = 'SPLWRIGHT_WORKER';

interface Shared {
  /** The sandbox of the primary process; `null` on a real network. */
  sandbox: SandboxEndpoint | null;
  /** Whether the primary process serves metrics. */
  isMeasured: boolean;
}

/** A worker's message to the primary process: that it listens, or why it cannot start, with the exit status for it. */
type WorkerMessage = ({ kind: 'listening' } & Listening) | { kind: 'failed'; message: string; status: number };

/** How long a worker may take after the drain, whatever the deadline of requests: a look at hanging nodes, or for a hanging receiver. */
const backgroundMs = 15_000;
/** How much longer workers may take before they are killed. */
const stopGraceMs = 5000;

/** Service processes on one port, and what they share. */
export interface Workers {
  listening: Listening;
  /** The JSON-RPC of the sandbox, when they run on one. */
  sandboxRpcUrl: string | undefined;
  /** Stops all workers: they drain unless hurried, finish the requests in flight and end. */
  stop(hurry: AbortSignal): Promise<void>;
}

/**
 * Starts the service in `count` processes on one port; resolves when every one of them listens.
 *
 * This process handles no requests: it runs the sandbox, counts for the rate limits, serves the metrics of all workers, and
 * replaces workers that end. Throws a `ListenError`, a `SandboxMissingError` or a `WorkerStartError`.
 */
export async function startWorkers(config: Config, count: number, logger: Logger): Promise<Workers> {
  // Counts the requests of all workers, by messages of its own.
  new RateLimiterClusterMaster();
  const stack = new AsyncDisposableStack();
  try {
    const metrics = await startClusterMetrics(config, logger);
    if (metrics) stack.defer(() => metrics.close());
    const sandbox = config.solanaRpcUrls.length === 0 ? await listenSandbox(config) : undefined;
    if (sandbox) stack.defer(() => sandbox.close());
    // Once, and not in each worker, which may start again.
    if (sandbox) await emptyForSandbox(config.databaseUrl);
    const shared: Shared = { sandbox: sandbox ? endpointOf(sandbox) : null, isMeasured: metrics !== undefined };
    const workMs = Math.max(batchDeadlineFactor * config.requestDeadlineMs, backgroundMs);
    const stopMs = config.drainMs + workMs + stopGraceMs;
    const pool = new WorkerPool(shared, logger, stopMs);
    let hurry = AbortSignal.abort();
    stack.defer(() => pool.stop(hurry));
    const listening = await pool.start(count);
    return {
      listening,
      sandboxRpcUrl: sandbox?.rpcUrl,
      stop: (signal) => {
        hurry = signal;
        return stack.disposeAsync();
      },
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function emptyForSandbox(databaseUrl: string): Promise<void> {
  const { openKeyStore } = await import('./store/open-key-store.ts');
  const store = await openKeyStore(databaseUrl, { use: 'service' });
  await claimForSandbox(store.database).finally(() => store.close());
}

/** A worker that lived this long did not fail at its start. */
const longLifeMs = 10_000;
const maxPauseMs = 30_000;

/** Keeps a number of worker processes running, and replaces those that end. */
class WorkerPool {
  readonly #shared: Shared;
  readonly #logger: Logger;
  /** How long workers may take to finish before they are killed. */
  readonly #stopMs: number;
  readonly #workers = new Set<Worker>();
  readonly #stopping = new AbortController();

  constructor(shared: Shared, logger: Logger, stopMs: number) {
    this.#shared = shared;
    this.#logger = logger;
    this.#stopMs = stopMs;
  }

  /** Resolves when all workers listen. Throws a `WorkerStartError` when one fails. */
  async start(count: number): Promise<Listening> {
    const workers = Array.from({ length: count }, () => this.#fork());
    const [first] = await Promise.all(workers.map(untilItListens));
    if (first === undefined) throw new RangeError('a pool needs a worker');
    for (const worker of workers) void this.#keep(worker);
    return first;
  }

  async stop(hurry: AbortSignal): Promise<void> {
    this.#stopping.abort();
    const workers = [...this.#workers];
    const signalAll = (signal: NodeJS.Signals): void => {
      for (const worker of workers) worker.process.kill(signal);
    };
    const cutOff = setTimeout(() => signalAll('SIGKILL'), this.#stopMs);
    // As this process is told: SIGINT ends without a drain.
    signalAll(hurry.aborted ? 'SIGINT' : 'SIGTERM');
    hurry.addEventListener('abort', () => signalAll('SIGINT'));
    await Promise.all(workers.map(untilItEnds));
    clearTimeout(cutOff);
  }

  #fork(): Worker {
    const worker = cluster.fork({ [sharedVariable]: JSON.stringify(this.#shared) });
    this.#workers.add(worker);
    // A message to a worker that has just died cannot be delivered; its `exit` event reports the death.
    worker.on('error', () => undefined);
    worker.once('exit', () => this.#workers.delete(worker));
    return worker;
  }

  /** Replaces a worker whenever it ends, until the pool stops. */
  async #keep(first: Worker): Promise<void> {
    let worker = first;
    let startedAt = performance.now();
    const { signal } = this.#stopping;
    for (let shortLives = 0; ; ) {
      const how = await untilItEnds(worker);
      if (signal.aborted) return;
      shortLives = performance.now() - startedAt < longLifeMs ? shortLives + 1 : 0;
      // After the first replacement the pauses grow: a worker that always dies must not keep the machine busy.
      const pauseMs = shortLives < 2 ? 0 : Math.min(maxPauseMs, 1000 * 2 ** (shortLives - 2));
      const details = { worker_pid: worker.process.pid, how, pause_milliseconds: pauseMs };
      this.#logger.error(details, 'a worker process ended; another takes its place');
      await setTimeoutPromise(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      worker = this.#fork();
      startedAt = performance.now();
      const { pid } = worker.process;
      worker.on('message', (message: WorkerMessage) => {
        if (message?.kind !== 'failed') return;
        this.#logger.error({ worker_pid: pid, reason: message.message }, 'a worker process cannot start');
      });
    }
  }
}

function untilItListens(worker: Worker): Promise<Listening> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      // Libraries send messages of their own.
      if (message?.kind === 'listening') resolve(message);
      if (message?.kind === 'failed') reject(new WorkerStartError(message.message, message.status));
    });
    void untilItEnds(worker).then((how) => {
      reject(new WorkerStartError(`A worker process ended at its start: ${how}.`, 1));
    });
  });
}

/** Resolves with the signal or the exit status that ended a worker. */
async function untilItEnds(worker: Worker): Promise<string> {
  if (!worker.isDead()) await once(worker, 'exit');
  const { exitCode, signalCode } = worker.process;
  return signalCode ?? `exit status ${exitCode}`;
}

interface WorkerStart {
  config: Config;
  version: string;
  logLine: (line: string) => void;
  worker: Worker;
  /** The text of `sharedVariable`. */
  shared: string;
}

/** Starts the service in a worker, and tells the primary process that it listens. */
export async function startInWorker(start: WorkerStart): Promise<RunningService> {
  const { config, version, logLine, worker } = start;
  const { sandbox, isMeasured }: Shared = JSON.parse(start.shared);
  const service = await startService(config, version, logLine, {
    sandbox: sandbox ?? undefined,
    counter: config.redisUrl === undefined ? createWorkerCounter() : undefined,
    metrics: isMeasured ? workerMetrics() : undefined,
  });
  const { url, hasActiveKey } = service;
  tellPrimary(worker, { kind: 'listening', url, hasActiveKey });
  return service;
}

// How long the primary process may take to count. It does little else, so it is late only when the machine is stalled.
const countTimeoutMs = 1_000;

/** Makes a counter that all workers share: the primary process counts, and a worker that gets no answer in time counts by itself. */
function createWorkerCounter(): RequestCounter {
  const shared = new RateLimiterCluster({ ...counterOptions, keyPrefix: 'rate', timeoutMs: countTimeoutMs });
  const own = new RateLimiterMemory(counterOptions);
  return { consume: (id, requests = 1) => shared.consume(id, requests).catch(() => own.consume(id, requests)) };
}

/** Sends a message to the primary process. */
export function tellPrimary(worker: Worker, message: WorkerMessage): void {
  worker.send(message);
}
