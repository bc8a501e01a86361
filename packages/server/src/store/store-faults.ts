/** A key store that cannot be opened. The message names `DATABASE_URL` and the remedy, and holds no password. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/**
 * Returns the message of a database error, for a log or a terminal.
 *
 * Nothing else of the error: a driver's may hold the whole connection, password included.
 */
export function storeFaultOf(error: unknown): string {
  // A host with several addresses gives an error for each, and no text of its own.
  if (error instanceof AggregateError) return error.errors.map(storeFaultOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** How long a caller waits before it tries again while the database of the keys does not answer. Seconds. */
export const storeRetrySeconds = 1;
