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
