// What is not seen, or changes what is seen next to it: controls (with line breaks, which would fake a line of ours), direction
// overrides, spaces of no width, fillers, variation selectors, tags; and halves of surrogate pairs.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}]/gu;

// Joiners belong to the words of these scripts, and between two pictures they make one of both.
const joiners = /^[\u200c\u200d]$/;
const joinedLetter =
  /(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}]/u;
const pictureEnd =
  /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|(?=\p{Emoji})[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f)$/u;
const picture = /^\p{Extended_Pictographic}/u;
// Asks for the colored form of a picture, a digit or a sign.
const emojiForm = '\ufe0f';
const mayBeEmoji = /\p{Emoji}$/u;

/**
 * Returns a text with every character visible: control characters, direction overrides and characters without width are written as
 * their code points, such as `⟨U+202E⟩`. Letters of any script and emoji stay as they are.
 */
export function visibleText(text: string): string {
  return text.replaceAll(invisible, (character, at: number) => {
    const [before, after] = [
      text.slice(Math.max(0, at - 3), at),
      text.slice(at + character.length, at + character.length + 2),
    ];
    return belongs(character, before, after) ? character : `⟨U+${codePointOf(character)}⟩`;
  });
}

function belongs(character: string, before: string, after: string): boolean {
  if (character === emojiForm) return mayBeEmoji.test(before);
  if (!joiners.test(character)) return false;
  if (joinedLetter.test(before.slice(-1)) && joinedLetter.test(after.slice(0, 1))) return true;
  return character === '\u200d' && pictureEnd.test(before) && picture.test(after);
}

function codePointOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
