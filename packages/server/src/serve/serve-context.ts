import type { Writable } from 'node:stream';
import type { Environment } from '../config/variables.ts';

/** The input and output of the command. */
export interface ServeContext {
  environment: Environment;
  version: string;
  /** Aborted when the process is told to stop. */
  stop: AbortSignal;
  /** Aborted when the process is told to stop without a drain. */
  hurry: AbortSignal;
  /** Where the log goes. */
  logStream: Writable;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Registers an action for the end of the process, however it ends. */
  onExit: (action: () => void) => void;
}

/** The input and output of a process of the service: the only one, the primary or a worker. */
export interface ProcessContext extends Pick<ServeContext, 'version' | 'stop' | 'hurry' | 'stdout'> {
  /** Writes a line of the log. */
  logLine: (line: string) => void;
}
