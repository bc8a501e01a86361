/** Parses a stored JSON text. This and the other functions of this file throw an `Error` for what this program does not write. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

/** Reads an object of texts: the headers of a reply. */
export function readHeaders(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, readText(text)]));
}

/** Reads indices of transfers: one or more. */
export function readIndices(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw unreadable();
  return value.map(readCount);
}

/** Reads an integer that is 0 or more. */
export function readCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw unreadable();
  return value;
}

/** Reads the decimal text of an integer, or `null`. */
export function readInteger(value: unknown): bigint | null {
  if (value === null) return null;
  const digits = readText(value);
  if (!/^-?[0-9]{1,20}$/.test(digits)) throw unreadable();
  return BigInt(digits);
}

/** Reads a text. */
export function readText(value: unknown): string {
  if (typeof value !== 'string') throw unreadable();
  return value;
}

/** The error for a record that another program has spoiled. Its content is not repeated: it holds a reply. */
export function unreadable(): Error {
  return new Error('the key database holds the record of an idempotent request that cannot be read');
}
