import { quoteName } from './visible-text.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The value of a JSON text, or what is wrong with the text. */
export type JsonReading = { value: unknown } | { fault: string };

/**
 * Parses the bytes of a JSON body, or says in a sentence what is wrong with them.
 *
 * Stricter than `JSON.parse` where money could move by accident: it refuses bytes that are not UTF-8, and a field that appears twice, of
 * which another parser on the way may have read the other value. What would take long to parse is refused before.
 */
export function readJson(bytes: Uint8Array): JsonReading {
  if (bytes.length === 0) return { fault: 'The body is empty; it must be a JSON object.' };
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { fault: 'The body is not valid UTF-8.' };
  }
  const fault = findFault(text);
  if (fault !== undefined) return { fault };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // Without the part of the body that some of its messages repeat.
    const reason = String(error).replace(/^SyntaxError: |, .* is not valid JSON$/gs, '');
    return { fault: `The body is not valid JSON: ${reason}.` };
  }
}

// Far deeper than any field of a request.
const maxDepth = 32;
// A batch of 1,000 transfers with every field has half as many.
const maxFields = 20_000;
// Those of arrays, too: 100 transactions of 4,096 bytes, as arrays of numbers, have fewer.
const maxValues = 500_000;

const tooDeep = `The body has objects and arrays more than ${maxDepth} deep.`;
const tooManyFields = `The body has more than ${maxFields} objects and fields.`;

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Walks the strings, brackets and commas of a text, which need not be JSON: a string in an object before a colon is a field's name. */
function findFault(text: string): string | undefined {
  /** The names so far, each after the number of its object. */
  const names = new Set<string>();
  /** Of each open bracket the number of its object; 0 for an array. */
  const open: number[] = [];
  let objectCount = 0;
  let commaCount = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case comma:
        commaCount += 1;
        if (commaCount > maxValues) return `The body has more than ${maxValues} values.`;
        break;
      case openObject:
        objectCount += 1;
        if (objectCount + names.size > maxFields) return tooManyFields;
        if (open.push(objectCount) > maxDepth) return tooDeep;
        break;
      case openArray:
        if (open.push(0) > maxDepth) return tooDeep;
        break;
      case closeObject:
      case closeArray:
        open.pop();
        break;
      case quote: {
        const start = at;
        const end = endOfString(text, start);
        at = end - 1;
        const object = open.at(-1) ?? 0;
        if (object === 0 || !isBeforeColon(text, end)) break;
        const name = nameOf(text.slice(start, end));
        const { size } = names;
        if (names.add(`${object} ${name}`).size === size)
          return `The body has the field ${quoteName(name)} more than once.`;
        if (objectCount + size >= maxFields) return tooManyFields;
      }
    }
  }
  return undefined;
}

/** The index after the closing quote, which has an even number of backslashes before it; that of the end when there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function isBeforeColon(text: string, index: number): boolean {
  let at = index;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return text.charCodeAt(at) === colon;
}

function nameOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    // The whole text is refused afterwards.
    return quoted;
  }
}
