import type { Environment } from '../config/variables.ts';
import type { ChangeAuthor } from '../keys/api-key-record.ts';

/** The input and output of a command; the texts that it writes end with a line break. */
export interface CommandContext {
  /** The environment of the process, a `.env` file included. */
  environment: Environment;
  /** The names of the variables that were there before the `.env` file was read. */
  inherited: ReadonlySet<string>;
  version: string;
  input: {
    /** Whether standard input is a terminal: then it is read only on request. */
    isTerminal: boolean;
    /** Reads standard input to its end. */
    read: () => Promise<string>;
  };
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  now: () => Date;
  /** Who runs the command, as the history of keys names them. */
  author: ChangeAuthor;
  /** Runs the service with these variables in addition to the environment. Resolves with the exit status. */
  serve: (options: Environment) => Promise<number>;
}

/** Runs a command and notes its exit status. */
export type Does = <Args extends readonly unknown[]>(
  run: (...args: Args) => number | Promise<number>,
) => (...args: Args) => Promise<void>;

/** A command line that is not understood; the message names the error in it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that was understood and is refused; the message has the reason and the remedy. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** The exit status for a configuration that cannot be used (`EX_CONFIG` of sysexits.h). */
export const configurationFault = 78;
