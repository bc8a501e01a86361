/** A database that cannot be opened or used. The message names `DATABASE_URL` and what to do, and holds no password. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/** Returns a `KeyStoreError` for what failed with a database; `where` is its path or its host and name, `error` is kept as the cause. */
export function databaseError(where: string, attempt: 'opened' | 'used', error: unknown): KeyStoreError {
  if (error instanceof KeyStoreError) return error;
  const fault = storeFaultOf(error);
  const code = codeOf(error);
  const reason = code === undefined || fault.includes(code) ? fault : `${fault} (${code})`;
  return new KeyStoreError(
    `DATABASE_URL: the database ${where} cannot be ${attempt}: ${reason}. docs/operate/stores.md says what to do.`,
    { cause: error },
  );
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

/** The primary result codes of SQLite that an operator can do something about (https://www.sqlite.org/rescode.html). */
const sqliteCodes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The low byte of an extended result code is its primary code.
  if ('errcode' in error && typeof error.errcode === 'number') return sqliteCodes[error.errcode & 0xff];
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** How long a caller waits before it tries again while the database does not answer. Seconds. */
export const storeRetrySeconds = 1;
