import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { pino } from 'pino';
import { UsageError, usageSentence } from '../cli/parse-arguments.ts';
import { type Environment, misspelledVariables, variables } from '../config/variables.ts';
import { type Config, parseConfig } from '../config.ts';
import { KeyStoreError } from '../store/store-faults.ts';
import { ListenError } from './listen.ts';
import { formatLogLine } from './log-line.ts';
import { LogOutput } from './log-output.ts';
import { parseServeArguments, serveHelp } from './serve-arguments.ts';
import { type ProcessContext, type ServeContext, untilAborted, untilQuiet } from './serve-context.ts';
import { serveGreeting } from './serve-greeting.ts';
import { ClusterError } from './start-chain-reader.ts';
import { SandboxMissingError } from './start-sandbox.ts';
import { tellPrimary } from './worker-messages.ts';
import { WorkerStartError } from './worker-pool.ts';

/** The exit status for a configuration that cannot be used (`EX_CONFIG` of sysexits.h). */
export const configurationFault = 78;

const usageFault = 2;

/** Runs the service until it is told to stop, in as many processes as configured. Resolves with the exit status. */
export async function runServe(context: ServeContext): Promise<number> {
  const options = readOptions(context);
  if (typeof options === 'number') return options;
  const environment = { ...context.environment, ...options };
  const parsed = parseConfig(environment);
  if (!cluster.worker) for (const hint of misspelledVariables(environment)) context.stderr(`${hint}\n`);
  if ('faults' in parsed) {
    for (const fault of parsed.faults) context.stderr(`${fault}\n`);
    return configurationFault;
  }
  const { config } = parsed;
  const workers = config.workers === 'auto' ? availableParallelism() : config.workers;
  const logger = pino({ level: config.logLevel }, { write: (line: string) => logLine(line) });
  const log = new LogOutput({
    stream: context.logStream,
    onResume: (lines) => logger.error({ lines }, 'log lines were dropped: what reads them did not keep up or was away'),
    now: () => performance.now(),
  });
  context.onExit(() => log.flush());
  const logLine = (line: string): void => log.add(context.isTerminal ? formatLogLine(line) : line);
  try {
    await runAs(config, workers, { ...context, settings: settingsIn(environment, options, context), logLine });
    return 0;
  } catch (error) {
    const status = exitStatusOf(error);
    if (!(error instanceof Error) || status === undefined) throw error;
    // When several workers fail for the same reason, the primary process reports it once.
    if (cluster.worker) tellPrimary(cluster.worker, { kind: 'failed', message: error.message, status });
    else context.stderr(`${error.message}\n`);
    return status;
  } finally {
    cluster.worker?.disconnect();
  }
}

// Returns the options as the variables that they stand for, or the exit status after the help or a wrong command line.
function readOptions({ arguments: args, stdout, stderr }: ServeContext): Environment | number {
  try {
    const options = parseServeArguments(args);
    if (options !== 'help') return options;
    stdout(serveHelp);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr(`serve: ${usageSentence(error)}\n\n${serveHelp}`);
    return usageFault;
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
async function runAs(config: Config, workers: number, context: ProcessContext): Promise<void> {
  if (cluster.worker) {
    const { runWorker } = await import('./serve-worker.ts');
    return runWorker(config, cluster.worker, context);
  }
  if (workers > 1) {
    const { runWithWorkers } = await import('./serve-workers.ts');
    return runWithWorkers(config, workers, context);
  }
  return runAlone(config, context);
}

async function runAlone(config: Config, context: ProcessContext): Promise<void> {
  const { version, stop, hurry, stdout, settings, logLine } = context;
  const { startService } = await import('./start-service.ts');
  const service = await startService(config, version, logLine);
  stdout(serveGreeting({ ...service, sandboxRpcUrl: service.sandbox?.rpcUrl }, { config, settings }));
  await untilAborted(stop);
  const { drain } = service;
  await service.serveOn(hurry);
  await untilQuiet(() => drain.arrivals);
  const closed = service.close();
  await drain.listenerClosed;
  drain.release();
  await closed;
}

function exitStatusOf(error: unknown): number | undefined {
  if (error instanceof ListenError) return 1;
  const faults = [KeyStoreError, ClusterError, SandboxMissingError];
  if (faults.some((fault) => error instanceof fault)) return configurationFault;
  return error instanceof WorkerStartError ? error.status : undefined;
}
