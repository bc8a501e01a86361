import type { Environment } from '../../config/variables.ts';

/** The input and output of a `links` command; the texts that it writes end with a line break. */
export interface LinksContext {
  /** The arguments after `links`. */
  arguments: readonly string[];
  environment: Environment;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

/** A command line that is not understood; the message names the error in it. */
export class LinksUsageError extends Error {
  override readonly name = 'LinksUsageError';
}

/** A command that was understood and is refused, or a service that cannot be used; the message has the reason. */
export class LinksRefusedError extends Error {
  override readonly name = 'LinksRefusedError';
}
