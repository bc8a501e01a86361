import type { Pause } from 'splwright-core';
import { quoteText } from './visible-text.ts';

/** What JSON has next at a place of a text. */
type Wanted = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma or }' | 'comma or ]' | 'end';

const wantedWords: Readonly<Record<Wanted, string>> = {
  value: 'a value',
  'value or ]': 'a value, or ]',
  name: 'the name of a field in double quotes',
  'name or }': 'the name of a field in double quotes, or }',
  colon: 'a colon',
  'comma or }': 'a comma, or }',
  'comma or ]': 'a comma, or ]',
  end: 'the end',
};

const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y;

// Some milliseconds.
const tokensPerTurn = 50_000;

/**
 * Returns a sentence that says where a text stops being JSON: the line, the column, what is there, and what JSON has there.
 *
 * `undefined` for a text that is JSON. Repeats one character of the text. `pause` is called between parts of the work.
 */
export async function describeJsonFault(json: string, pause: Pause): Promise<string | undefined> {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (let tokenCount = 1; ; tokenCount++) {
    if (tokenCount % tokensPerTurn === 0) await pause();
    while (' \t\r\n'.includes(json[at] ?? '.')) at++;
    if (at === json.length && wanted === 'end') return undefined;
    const next = readToken(json, at, wanted, open);
    if ('faultAt' in next) return describePlace(json, next.faultAt, next.isInText ? 'text' : wanted);
    at = next.end;
    wanted = next.wanted;
  }
}

type Token = { end: number; wanted: Wanted } | { faultAt: number; isInText?: true };

function readToken(json: string, at: number, wanted: Wanted, open: ('{' | '[')[]): Token {
  const character = json[at];
  const isValue = wanted === 'value' || wanted === 'value or ]';
  const isName = wanted === 'name' || wanted === 'name or }';
  if (character === '"' && (isValue || isName)) {
    const end = endOfText(json, at + 1);
    if (json[end] !== '"') return { faultAt: end, isInText: true };
    return { end: end + 1, wanted: isName ? 'colon' : afterValue(open) };
  }
  if ((character === '{' || character === '[') && isValue) {
    open.push(character);
    return { end: at + 1, wanted: character === '{' ? 'name or }' : 'value or ]' };
  }
  if ((character === '}' || character === ']') && wanted.endsWith(character)) {
    open.pop();
    return { end: at + 1, wanted: afterValue(open) };
  }
  if (character === ':' && wanted === 'colon') return { end: at + 1, wanted: 'value' };
  if (character === ',' && wanted === 'comma or }') return { end: at + 1, wanted: 'name' };
  if (character === ',' && wanted === 'comma or ]') return { end: at + 1, wanted: 'value' };
  const length = isValue ? lengthOf(scalar, json, at) : 0;
  return length > 0 ? { end: at + length, wanted: afterValue(open) } : { faultAt: at };
}

// Where its closing quote is, or what is not allowed in a text. A loop: an expression for a whole text could take more stack than there is.
function endOfText(json: string, start: number): number {
  for (let at = start; ; ) {
    const code = json.charCodeAt(at);
    if (code === backslash) {
      const length = lengthOf(escaped, json, at);
      if (length === 0) return at;
      at += length;
    } else if (code >= 0x20 && code !== doubleQuote) at += 1;
    else return at;
  }
}

const doubleQuote = 0x22;
const backslash = 0x5c;

function afterValue(open: readonly ('{' | '[')[]): Wanted {
  const innermost = open.at(-1);
  if (innermost === undefined) return 'end';
  return innermost === '{' ? 'comma or }' : 'comma or ]';
}

function lengthOf(sticky: RegExp, json: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.exec(json)?.[0].length ?? 0;
}

function describePlace(json: string, at: number, wanted: Wanted | 'text'): string {
  const lineStart = json.lastIndexOf('\n', at - 1) + 1;
  let line = 1;
  for (let end = json.indexOf('\n'); end !== -1 && end < lineStart; end = json.indexOf('\n', end + 1)) line++;
  const place = `line ${line}, column ${at - lineStart + 1}`;
  const found = at === json.length ? 'it ends' : `there is ${quoted(json, at)}`;
  if (wanted !== 'text')
    return `The body is not valid JSON: at ${place} ${found} where JSON has ${wantedWords[wanted]}.`;
  if (at === json.length) return `The body is not valid JSON: at ${place} it ends within a text.`;
  return `The body is not valid JSON: at ${place} ${found} within a text, where JSON has an escape such as \\n or \\\\.`;
}

function quoted(json: string, at: number): string {
  const character = String.fromCodePoint(json.codePointAt(at) ?? 0).toWellFormed();
  return character === '"' ? 'a double quote' : quoteText(character);
}
