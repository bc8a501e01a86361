/** All that a `keys` command may touch; the texts it writes end with a line break. */
export interface KeysContext {
  /** What follows `keys` on the command line. */
  arguments: readonly string[];
  databaseUrl: string;
  input: {
    /** Whether people type there: it is then read only where it is asked for. */
    isTerminal: boolean;
    /** Reads standard input to its end. */
    read: () => Promise<string>;
  };
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  now: () => Date;
}

/** A command line that cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that was understood and cannot be done; the message says why, and what to do. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
