/** A command line that is not understood; the message names the error in it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that was understood and is refused; the message has the reason and the remedy. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
