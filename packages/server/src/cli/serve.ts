import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { type Environment, misspelledVariables, variables } from '../config/variables.ts';
import { type Config, parseConfig } from '../config.ts';
import { ListenError } from '../serve/listen.ts';
import { type Log, openLog } from '../serve/log.ts';
import { ClusterError } from '../serve/served-cluster.ts';
import { SandboxMissingError } from '../serve/start-sandbox.ts';
import type { RunningService } from '../serve/start-service.ts';
import { KeyStoreError } from '../store/store-faults.ts';
import { type CommandContext, configurationFault } from './command.ts';
import { serveGreeting } from './serve-greeting.ts';

/** The input and output of the command. */
export interface ServeContext
  extends Pick<CommandContext, 'environment' | 'inherited' | 'version' | 'stdout' | 'stderr'> {
  /** The options of the command, each as the variable that it stands for. */
  options: Environment;
  /** Aborted when the process is told to stop. */
  stop: AbortSignal;
  /** Aborted when the process is told to stop without a drain. */
  hurry: AbortSignal;
  /** Whether a person reads the log, which goes to standard output: it is then not JSON. */
  isTerminal: boolean;
  /** Registers an action for the end of the process, however it ends. */
  onExit: (action: () => void) => void;
}

/** A process of the service: the only one, the primary or a worker. */
interface Process extends ServeContext {
  config: Config;
  /** The variables that are set, each with where it was found. */
  settings: readonly string[];
  log: Log;
  logger: Logger;
}

const standardOutput = 1;

/** Runs the service until it is told to stop, in as many processes as configured. Resolves with the exit status. */
export async function runServe(context: ServeContext): Promise<number> {
  const { options } = context;
  const environment = { ...context.environment, ...options };
  const parsed = parseConfig(environment);
  if (!cluster.worker) for (const hint of misspelledVariables(environment)) context.stderr(`${hint}\n`);
  if ('faults' in parsed) {
    for (const fault of parsed.faults) context.stderr(`${fault}\n`);
    return configurationFault;
  }
  const { config } = parsed;
  const onResume = (lines: number): void =>
    logger.error({ lines }, 'log lines were dropped: what reads them did not keep up or was away');
  const log = await openLog(standardOutput, { isTerminal: context.isTerminal, onResume });
  context.onExit(() => log.end());
  const logger = pino({ level: config.logLevel }, { write: (line: string) => log.write(line) });
  try {
    await runAs({ ...context, config, settings: settingsIn(environment, options, context), log, logger });
    return 0;
  } catch (error) {
    const status = exitStatusOf(error);
    if (!(error instanceof Error) || status === undefined) throw error;
    await reportFailure(error, status, context);
    return status;
  } finally {
    cluster.worker?.disconnect();
  }
}

function settingsIn(environment: Environment, options: Environment, { inherited }: ServeContext): readonly string[] {
  return variables.flatMap(({ name }) => {
    if ((environment[name]?.trim() ?? '') === '') return [];
    const source = name in options ? 'option' : inherited.has(name) ? 'environment' : '.env';
    return [`${name} (${source})`];
  });
}

// Each role is loaded when it runs: the primary process needs little of the service.
function runAs(context: Process): Promise<void> {
  const { workers } = context.config;
  const count = workers === 'auto' ? availableParallelism() : workers;
  if (cluster.worker) return runWorker(context, cluster.worker);
  return count > 1 ? runWithWorkers(context, count) : runAlone(context);
}

async function runAlone(context: Process): Promise<void> {
  const { config, version, log, stdout, settings } = context;
  const { startService } = await import('../serve/start-service.ts');
  const service = await startService(config, version, log.write);
  stdout(serveGreeting({ ...service, sandboxRpcUrl: service.sandbox?.rpcUrl }, { config, settings }));
  await untilAborted(context.stop);
  await stopService(service, context.hurry, config);
}

async function runWithWorkers(context: Process, count: number): Promise<void> {
  const { config, logger, stdout, settings } = context;
  const { startWorkers } = await import('../serve/workers.ts');
  const workers = await startWorkers(config, count, logger);
  stdout(serveGreeting({ ...workers.listening, sandboxRpcUrl: workers.sandboxRpcUrl }, { config, settings }));
  await untilAborted(context.stop);
  await workers.stop(context.hurry);
}

async function runWorker(context: Process, worker: Worker): Promise<void> {
  const { config, version, log } = context;
  const { sharedVariable, startInWorker } = await import('../serve/workers.ts');
  const shared = context.environment[sharedVariable] ?? '';
  const service = await startInWorker({ config, version, logLine: log.write, worker, shared });
  await untilAborted(context.stop);
  await stopService(service, context.hurry, config);
}

/** Serves on for the configured time, while `/readyz` fails and connections are told to close; then closes the service. */
async function stopService(service: RunningService, hurry: AbortSignal, { drainMs }: Config): Promise<void> {
  service.drain(hurry.aborted ? 0 : drainMs);
  await setTimeoutPromise(drainMs, undefined, { signal: hurry }).catch(() => undefined);
  await service.close();
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

// When several workers fail for the same reason, the primary process reports it once.
async function reportFailure({ message }: Error, status: number, { stderr }: ServeContext): Promise<void> {
  if (!cluster.worker) {
    stderr(`${message}\n`);
    return;
  }
  const { tellPrimary } = await import('../serve/workers.ts');
  tellPrimary(cluster.worker, { kind: 'failed', message, status });
}

function exitStatusOf(error: unknown): number | undefined {
  if (error instanceof ListenError) return 1;
  const faults = [KeyStoreError, ClusterError, SandboxMissingError];
  if (faults.some((fault) => error instanceof fault)) return configurationFault;
  return error instanceof Error && 'exitStatus' in error ? Number(error.exitStatus) : undefined;
}
