// Written as \u escapes in JSON: the same text, but it cannot disturb a terminal.
const disturbing = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns a value as one line of JSON, in which nothing is invisible. */
export function formatJson(value: unknown): string {
  const escaped = JSON.stringify(value).replaceAll(disturbing, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
  return `${escaped}\n`;
}
