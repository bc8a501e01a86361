import { noPause, type Pause } from 'splwright-core';
import { describeJsonFault } from './json-fault.ts';
import { quoteName } from './visible-text.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the bytes of a JSON body, or says in a sentence what is wrong with them.
 *
 * Stricter than `JSON.parse` where money could move by accident: it refuses bytes that are not UTF-8, and a field that appears twice, of
 * which another parser on the way may have read the other value. `pause` is called between parts of the work.
 */
export async function readJson(bytes: Uint8Array, pause: Pause = noPause): Promise<JsonReading> {
  const parsed = parseText(bytes);
  if ('fault' in parsed) return parsed;
  await pause();
  if ('broken' in parsed) {
    // Every text that `JSON.parse` refuses has a place; without one there would still be a sentence.
    return { fault: (await describeJsonFault(parsed.broken, pause)) ?? 'The body is not valid JSON.' };
  }
  const duplicate = await findDuplicateName(parsed.text, pause);
  if (duplicate === undefined) return { value: parsed.value };
  return { fault: `The body has the field ${quoteName(duplicate)} more than once.` };
}

/** The value of a JSON text, or what is wrong with the text. */
export type JsonReading = { value: unknown } | { fault: string };

function parseText(bytes: Uint8Array): { text: string; value: unknown } | { fault: string } | { broken: string } {
  if (bytes.length === 0) return { fault: 'The body is empty; it must be a JSON object.' };
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { fault: 'The body is not valid UTF-8.' };
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return { broken: text };
  }
}

// Some milliseconds.
const charactersPerTurn = 262_144;

// No field of any request is an object deeper than this.
const maxDepth = 8;

// Walks the strings and brackets of a text that is known to be JSON: a string in an object before a colon is a field's name.
async function findDuplicateName(text: string, pause: Pause): Promise<string | undefined> {
  /** The names so far, each after the number of its object. */
  const names = new Set<string>();
  /** Of each open bracket the number of its object; 0 for an array. */
  const open: number[] = [];
  let objectCount = 0;
  let endOfTurn = charactersPerTurn;
  for (let at = 0; at < text.length; at++) {
    if (at >= endOfTurn) {
      endOfTurn = at + charactersPerTurn;
      await pause();
    }
    switch (text[at]) {
      case '{':
        objectCount += 1;
        open.push(objectCount);
        break;
      case '[':
        open.push(0);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case '"': {
        const start = at;
        const end = endOfString(text, start);
        at = end - 1;
        const object = open.length > maxDepth ? 0 : (open.at(-1) ?? 0);
        if (object === 0 || !isBeforeColon(text, end)) break;
        const name = nameOf(text.slice(start, end));
        const size = names.size;
        if (names.add(`${object} ${name}`).size === size) return name;
        break;
      }
    }
  }
  return undefined;
}

// The index after the closing quote: the first one with an even number of backslashes before it.
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

function isBeforeColon(text: string, index: number): boolean {
  let at = index;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return text[at] === ':';
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}
