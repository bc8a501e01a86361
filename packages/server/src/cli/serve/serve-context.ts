import type { Writable } from 'node:stream';
import type { Environment } from '../../config.ts';

/** What the command is run with. */
export interface ServeContext {
  environment: Environment;
  version: string;
  /** Aborted when the process is told to stop. */
  stop: AbortSignal;
  /** Aborted when it is told to do so without a drain. */
  hurry: AbortSignal;
  /** Where the log goes. */
  logStream: Writable;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Has something done when the process ends, however it ends. */
  onExit: (action: () => void) => void;
}

/** What a process of the service is run with, whether it is the only one or one of several. */
export interface ProcessContext extends Pick<ServeContext, 'version' | 'stop' | 'hurry' | 'stdout'> {
  /** Takes a line of the log. */
  logLine: (line: string) => void;
}
