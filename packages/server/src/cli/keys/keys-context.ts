import type { ChangeAuthor } from '../../keys/key-store.ts';

/** The input and output of a `keys` command; the texts that it writes end with a line break. */
export interface KeysContext {
  /** The arguments after `keys`. */
  arguments: readonly string[];
  databaseUrl: string;
  /** Who runs the command. */
  author: ChangeAuthor;
  input: {
    /** Whether standard input is a terminal: then it is read only on request. */
    isTerminal: boolean;
    /** Reads standard input to its end. */
    read: () => Promise<string>;
  };
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  now: () => Date;
}

/** A command line that is not understood; the message names the error in it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that was understood and is refused; the message has the reason and the remedy. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
