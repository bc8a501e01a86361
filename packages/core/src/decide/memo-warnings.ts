import type { TransferWarning } from './transfer-warnings.ts';

// Control characters, and the separators of lines and paragraphs.
const controls = /[\p{Cc}\u2028\u2029]/gu;
// Marks, embeddings, overrides and isolates of the bidirectional algorithm (Unicode Standard Annex 9).
const directions = /\p{Bidi_Control}/gu;
// What is not shown: zero-width characters, fillers, tags, annotations. The two selectors belong to ordinary emoji.
const invisibles = /(?!\p{Bidi_Control}|\ufe0e|\ufe0f)(?:\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb])/gu;

const maxListed = 5;

/** What is to be said of a memo that may be shown otherwise than it is, in a fixed order. */
export function warnOfMemo(text: string): readonly TransferWarning[] {
  const warnings: TransferWarning[] = [];
  const warn = (code: TransferWarning['code'], pattern: RegExp, say: (which: string) => string): void => {
    const found = new Set(text.match(pattern));
    if (found.size > 0) warnings.push({ code, detail: say(listOf(found)) });
  };
  warn(
    'memo_control_characters',
    controls,
    (which) => `The memo has control characters (${which}), which can break lines or steer a terminal that shows it.`,
  );
  warn(
    'memo_direction_characters',
    directions,
    (which) => `The memo has characters that change the direction of text (${which}): it may read as another memo.`,
  );
  warn(
    'memo_invisible_characters',
    invisibles,
    (which) => `The memo has characters that are not shown (${which}): another memo may look the same.`,
  );
  return warnings;
}

/** Writes a text in quotes with every character escaped that a warning is about. */
export function quoteMemo(text: string): string {
  const toEscape = (character: string): string => `\\u{${hexOf(character)}}`;
  return [controls, directions, invisibles].reduce(
    (quoted, pattern) => quoted.replaceAll(pattern, toEscape),
    JSON.stringify(text),
  );
}

function listOf(characters: ReadonlySet<string>): string {
  const listed = [...characters].slice(0, maxListed).map((character) => `U+${hexOf(character).padStart(4, '0')}`);
  const more = characters.size > maxListed ? ` and ${characters.size - maxListed} more` : '';
  return `${listed.join(', ')}${more}`;
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
}
