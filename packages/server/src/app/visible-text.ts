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

// What a value or a name never has on purpose: what `visibleText` shows, wherever it stands, and spaces that look like the plain one.
const hidden = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Returns a text in double quotes, as JSON, in which hidden characters are written as their code points: `"memo⟨U+200B⟩"`. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replaceAll(hidden, (character) => `⟨U+${codePointOf(character)}⟩`);
}

/**
 * Describes the hidden characters of a text, as the rest of a sentence that begins with its name, without the full stop:
 * `contains U+200B (zero width space) at position 45: remove it`. `undefined` for a text without any in its first 1,000 characters.
 */
export function describeHidden(text: string): string | undefined {
  const [first, second] = text.slice(0, maxRead).matchAll(hidden);
  if (!first) return undefined;
  const [character] = first;
  const name =
    characterNames[character] ?? kinds.find(([, kind]) => kind.test(character))?.[0] ?? 'invisible character';
  const more = second ? ', and others: remove them' : ': remove it';
  return `contains U+${codePointOf(character)} (${name}) at position ${first.index + 1}${more}`;
}

// No value is longer, and a body may have a megabyte of such characters.
const maxRead = 1_000;

const characterNames: Readonly<Record<string, string>> = {
  '\t': 'tab',
  '\n': 'line break',
  '\u00a0': 'no-break space',
  '\u200b': 'zero width space',
  '\u202f': 'narrow no-break space',
  '\ufeff': 'byte order mark',
};
const kinds = [
  ['control character', /\p{Cc}/u],
  ['direction mark', /\p{Bidi_Control}/u],
  ['line separator', /[\p{Zl}\p{Zp}]/u],
  ['space', /\p{Z}/u],
  ['half of a character', /\p{Cs}/u],
] as const;

function codePointOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

const maxNameShown = 64;

/** Quotes the name of a field for a sentence; a name of any length is cut. */
export function quoteName(name: string): string {
  return quoteText(name.length > maxNameShown ? `${name.slice(0, maxNameShown)}…` : name);
}

/** Returns the JSON pointer (RFC 6901) to a field of the object at `parent`; a name of any length is cut. */
export function pointerTo(name: string, parent = ''): string {
  const shown = (name.length > maxNameShown ? name.slice(0, maxNameShown) : name).toWellFormed();
  // `~` and `/` inside a name are escaped.
  return `${parent}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
