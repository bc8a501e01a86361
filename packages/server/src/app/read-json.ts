import { quoteName } from './visible-text.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The value of a JSON text, or what is wrong with the text. */
export type JsonReading = { value: unknown } | { fault: string };

/**
 * Parses the bytes of a JSON body, or says in a sentence what is wrong with them.
 *
 * Stricter than `JSON.parse` where money could move by accident: it refuses bytes that are not UTF-8, and a field that appears twice, of
 * which another parser on the way may have read the other value. `JsonBounds` refuses before what would take long.
 */
export function readJson(bytes: Uint8Array): JsonReading {
  if (bytes.length === 0) return { fault: 'The body is empty; it must be a JSON object.' };
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { fault: 'The body is not valid UTF-8.' };
  }
  const repeated = findRepeatedField(text);
  if (repeated !== undefined) return { fault: `The body has the field ${quoteName(repeated)} more than once.` };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // Without the part of the body that some of its messages repeat.
    const reason = String(error).replace(/^SyntaxError: |, .* is not valid JSON$/gs, '');
    return { fault: `The body is not valid JSON: ${reason}.` };
  }
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Walks the strings and brackets of a text, which need not be JSON: a string in an object before a colon is a field's name. */
function findRepeatedField(text: string): string | undefined {
  /** The names so far, each after the number of its object. */
  const names = new Set<string>();
  /** Of each open bracket the number of its object; 0 for an array. */
  const open: number[] = [];
  let objectCount = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case openObject:
        objectCount += 1;
        open.push(objectCount);
        break;
      case openArray:
        open.push(0);
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
        if (names.add(`${object} ${name}`).size === size) return name;
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
