const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the bytes of a JSON body, or says in a sentence what is wrong with them.
 *
 * Stricter than `JSON.parse` where money could move by accident: bytes that are not UTF-8 are refused rather than replaced,
 * and so is a field that appears twice, of which another parser on the way may have seen the other value.
 */
export function readJson(bytes: Uint8Array): { value: unknown } | { fault: string } {
  if (bytes.length === 0) return { fault: 'The body is empty; it must be a JSON object.' };
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { fault: 'The body is not valid UTF-8.' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'The body cannot be parsed as JSON.' };
  }
  const duplicate = isSurelyFreeOfDuplicates(text, value) ? undefined : findDuplicateName(text);
  if (duplicate !== undefined) return { fault: `The body has the field ${JSON.stringify(duplicate)} more than once.` };
  return { value };
}

// A member that was overwritten leaves the quotes of its name behind: where a text without escapes has no more quotes than its
// value, nothing was. Only for the shape that nearly all bodies have; any other is walked through.
function isSurelyFreeOfDuplicates(text: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || text.includes('\\')) return false;
  let expected = 0;
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) return false;
    expected += typeof member === 'string' ? 4 : 2;
  }
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes++;
  return quotes === expected;
}

// Walks the strings and brackets of a text that is known to be JSON: a string at depth 1 before a colon is a field's name.
function findDuplicateName(text: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  const names = new Set<string>();
  let depth = 0;
  for (const match of text.matchAll(/[{}[\]]|("(?:[^"\\]|\\.)*")(\s*:)?/g)) {
    const [token, string, colon] = match;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (string !== undefined && colon !== undefined && depth === 1) {
      const name = String(JSON.parse(string));
      if (names.has(name)) return name.slice(0, 64);
      names.add(name);
    }
  }
  return undefined;
}
