import type { Warning } from '../findings/warning.ts';

// Control characters, and the separators of lines and paragraphs.
const controls = /[\p{Cc}\u2028\u2029]/gu;
// Marks, embeddings, overrides and isolates of the bidirectional algorithm (Unicode Standard Annex 9).
const directions = /\p{Bidi_Control}/gu;
// What is not shown: zero-width characters, fillers, tags, annotations. The two selectors belong to ordinary emoji.
const invisibles = /(?!\p{Bidi_Control}|\ufe0e|\ufe0f)(?:\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb])/gu;

const kinds = [
  ['memo_control_characters', controls],
  ['memo_direction_characters', directions],
  ['memo_invisible_characters', invisibles],
] as const;

/** Returns the warnings about characters that may show a memo as another text, in a fixed order. */
export function warnOfMemo(text: string): readonly Warning[] {
  return kinds.flatMap(([code, pattern]) => {
    const characters = [...new Set(text.match(pattern))];
    return characters.length === 0 ? [] : [{ code, context: { characters } }];
  });
}

/** Writes a text in quotes with every character escaped that a warning is about. */
export function quoteMemo(text: string): string {
  const toEscape = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
  return kinds.reduce((quoted, [, pattern]) => quoted.replaceAll(pattern, toEscape), JSON.stringify(text));
}
