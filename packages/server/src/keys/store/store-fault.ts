/**
 * What a database said of its fault, in a sentence for a log or a person.
 *
 * Only the message: an error of a driver may hold the whole connection, password included.
 */
export function storeFaultOf(error: unknown): string {
  // Of a host with several addresses: one error for each, and no text of its own.
  if (error instanceof AggregateError) return error.errors.map(storeFaultOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
