/** @typedef {null | boolean | number | string | readonly unknown[] | { readonly [name: string]: unknown }} Json */

/**
 * How a language writes a value of JSON.
 * @typedef {object} Style
 * @property {string} yes
 * @property {string} no
 * @property {string} none
 * @property {(name: string) => string} key
 * @property {(text: string) => string} string
 */

/** The variable of the environment that has the API key. */
export const keyVariable = 'SPLWRIGHT_API_KEY';

// What cannot be seen, or reorders what can: control, format and private characters, half pairs, separators but the space.
const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/**
 * A string of JSON in its quotes. Characters that hide, and the `special` ones, are written as `\uXXXX`: every reader of JSON makes the
 * same text of them.
 * @param {string} text
 * @param {string} [special]
 */
export function jsonString(text, special = '') {
  return quote(text, special, (character) => character.split('').map(fourDigits).join(''));
}

/**
 * A string of Python in its quotes. It is that of JSON, but for characters of two units.
 * @param {string} text
 */
export function pythonString(text) {
  return quote(text, '', (character) =>
    character.length === 1
      ? fourDigits(character)
      : `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  );
}

/**
 * JSON as people write it, in which the `special` characters stand nowhere: what would end or interpolate the literal of another
 * language.
 * @param {Json} value
 * @param {string} [special]
 */
export function jsonText(value, special) {
  const string = (/** @type {string} */ text) => jsonString(text, special);
  return literal(value, { yes: 'true', no: 'false', none: 'null', key: string, string }, '');
}

/**
 * A value as a language writes it, one member a line, indented by two spaces from `indent` on.
 * @param {unknown} value
 * @param {Style} style
 * @param {string} indent
 * @returns {string}
 */
export function literal(value, style, indent) {
  if (typeof value === 'string') return style.string(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? style.yes : style.no;
  if (typeof value !== 'object' || value === null) return style.none;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  // Bytes would be a screen of digits.
  if (Array.isArray(value) && value.every((item) => typeof item === 'number')) return `[${value.join(', ')}]`;
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, style, deeper))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${style.key(name)}: ${literal(member, style, deeper)}`);
  if (items.length === 0) return open + close;
  return `${open}\n${items.map((item) => deeper + item).join(',\n')}\n${indent}${close}`;
}

/**
 * The lines of a program.
 * @param {readonly (string | false | undefined)[]} parts Each a line, or left out.
 */
export function lines(parts) {
  return `${parts.filter((part) => typeof part === 'string').join('\n')}\n`;
}

/**
 * @param {string} text
 * @param {string} special
 * @param {(character: string) => string} write
 */
function quote(text, special, write) {
  const characters = Array.from(text, (character) => {
    if (character === '\n') return '\\n';
    if (hidden.test(character) || special.includes(character)) return write(character);
    return character === '"' || character === '\\' ? `\\${character}` : character;
  });
  return `"${characters.join('')}"`;
}

/** @param {string} unit */
function fourDigits(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
