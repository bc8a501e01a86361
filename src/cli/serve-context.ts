import type { Environment } from '../config.ts';

/** What the command is run with. */
export interface ServeContext {
  environment: Environment;
  version: string;
  /** Aborted when the process is told to stop. */
  stop: AbortSignal;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}
