import type { Writable } from 'node:stream';
import { setImmediate as setImmediatePromise, setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Environment } from '../config/variables.ts';

/** The input and output of the command. */
export interface ServeContext {
  /** The arguments after `serve`. */
  arguments: readonly string[];
  /** The environment of the process, a `.env` file included. */
  environment: Environment;
  /** The names of the variables that were there before the `.env` file was read. */
  inherited: ReadonlySet<string>;
  version: string;
  /** Aborted when the process is told to stop. */
  stop: AbortSignal;
  /** Aborted when the process is told to stop without a drain. */
  hurry: AbortSignal;
  /** Where the log goes. */
  logStream: Writable;
  /** Whether a person reads the log there: it is then not JSON. */
  isTerminal: boolean;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Registers an action for the end of the process, however it ends. */
  onExit: (action: () => void) => void;
}

/** The input and output of a process of the service: the only one, the primary or a worker. */
export interface ProcessContext extends Pick<ServeContext, 'version' | 'stop' | 'hurry' | 'stdout'> {
  /** The variables that are set, each with where it was found. */
  settings: readonly string[];
  /** Writes a line of the log. */
  logLine: (line: string) => void;
}

/** Resolves once a signal is aborted, at once if it is already. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const pauseMs = 50;

/** New clients may arrive all the time. */
const maxWaitMs = 1000;

/** Resolves once a count of arrivals has stayed the same for a moment, after a second at the latest. */
export async function untilQuiet(count: () => number | Promise<number>): Promise<void> {
  const giveUpAt = performance.now() + maxWaitMs;
  let before = await count();
  while (performance.now() < giveUpAt) {
    await setTimeoutPromise(pauseMs);
    // In the next turn of the event loop, however late it is, pending connections have been accepted and are counted.
    await setImmediatePromise();
    await setImmediatePromise();
    const after = await count();
    if (after === before) return;
    before = after;
  }
}
