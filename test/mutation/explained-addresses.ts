import { type Explanation, explain } from './explanation.ts';

const addresses = 'packages/core/src/addresses';
const base58 = `${addresses}/base58.ts`;
const known = `${addresses}/known-addresses.ts`;
const derivation = `${addresses}/derived-addresses.ts`;

const anyNumberOfText =
  'Any number will do that is the same for a text each time: it says where to look, and texts are compared.';
const isAlwaysThere = 'The table has an entry for every row, so that no default is used.';
const noSuchSeeds = 'Nobody knows seeds for which every bump is on the curve, or all but the last.';
const firstColumn = 'The first column is 0.';
const anyIndex = 'An array of the language holds an entry at any index.';
const laterLinesOfTag = [15, 27].map((index) => `tag = Math.imul(tag, 61) + text.charCodeAt(${index});`);
const linesOfTag = ['let tag = Math.imul(text.length, 61) + text.charCodeAt(8);', ...laterLinesOfTag];

/** The mutants of the core's addresses that no test can or need notice. */
export const explainedInAddresses: readonly Explanation[] = [
  ...explain(
    base58,
    'for (let start = 0; start < text.length; start += digitsPerChunk) {',
    'shift boundary',
    'A chunk of no digits changes nothing.',
  ),
  ...explain(
    base58,
    'for (let at = 0; at < pairs.length; at += 2) {',
    'shift boundary',
    'Past the end of the bytes nothing is written.',
  ),
  ...explain(known, 'const maxKnown = 4096;', 'change constant', 'A row that no set has is never used.'),
  ...explain(
    known,
    "const texts: string[] = Array.from({ length: maxKnown }, () => '');",
    'drop call',
    'Any object holds an entry for each row; what no row holds is not read.',
  ),
  ...explain(known, 'const noTag = -1;', 'change constant', 'No text has a tag below zero.'),
  ...explain(
    known,
    'const oldestOfSet = new Uint8Array(maxKnown / rowsPerSet);',
    'swap arithmetic',
    'What stands behind the last set is never used.',
  ),
  ...linesOfTag.flatMap((line) =>
    explain(known, line, ['change constant', 'swap arithmetic', 'drop call'], anyNumberOfText),
  ),
  ...laterLinesOfTag.flatMap((line) => explain(known, line, 'delete statement', anyNumberOfText)),
  ...explain(known, 'return tag & 0x7fff_ffff;', 'swap arithmetic', anyNumberOfText),
  ...explain(known, 'const multiplier = 0x9e37_79b1;', 'change constant', anyNumberOfText),
  ...explain(
    known,
    'return (Math.imul(tag, multiplier) >>> (32 - bitsOfSet)) * rowsPerSet;',
    'change constant',
    'Half of the sets are enough for every answer.',
  ),
  ...explain(
    known,
    'for (let row = first; row < first + rowsPerSet; row++) {',
    'shift boundary',
    'The next row is of another set, where the text never stands.',
  ),
  ...explain(
    known,
    'oldestOfSet[set] = (oldest + 1) % rowsPerSet;',
    'change constant',
    'Half of the rows are enough for every answer.',
  ),
  ...explain(known, 'const oldest = oldestOfSet[set] ?? 0;', 'change constant', isAlwaysThere),
  ...explain(known, 'const offCurve = 2;', 'change constant', 'Any number will do that the other two are not.'),
  ...explain(known, 'const perOwner = 2;', 'change constant', 'Nothing is written to a third entry.'),
  ...explain(
    known,
    'for (let entry = row * perOwner; entry < end; entry++) {',
    'shift boundary',
    'The next entry is one of another owner, or true of this one.',
  ),
  ...explain(
    known,
    "return { address: entries[at + tokenAccountColumn] ?? '', bump: bumps[entry] ?? 0 };",
    'change constant',
    isAlwaysThere,
  ),
  ...explain(known, 'const columnCount = 3;', 'change constant', 'An entry may have room that is not used.'),
  ...explain(
    known,
    "const entries: string[] = Array.from({ length: maxKnown * perOwner * columnCount }, () => '');",
    ['drop call', 'swap arithmetic'],
    anyIndex,
  ),
  ...explain(known, 'const end = row * perOwner + (entriesOfRow[row] ?? 0);', 'change constant', isAlwaysThere),
  ...explain(
    known,
    'if (entries[at + mintColumn] === seeds.mint && entries[at + tokenProgramColumn] === seeds.tokenProgram) {',
    'swap arithmetic',
    firstColumn,
    '+',
  ),
  ...explain(known, 'entries[at + mintColumn] = seeds.mint;', 'swap arithmetic', firstColumn),
  ...explain(known, 'const count = entriesOfRow[row] ?? 0;', 'change constant', isAlwaysThere),
  ...explain(
    known,
    'const newer = count < perOwner ? count : 1 - (newerOfTwo[row] ?? 0);',
    'change constant',
    isAlwaysThere,
    '0',
  ),
  ...explain(
    derivation,
    'if (bumpAndLength < 0) {',
    ['delete statement', 'shift boundary', 'change constant'],
    noSuchSeeds,
  ),
  ...explain(
    derivation,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'throw new RangeError(`${seeds.owner} has no associated token address for the mint ${seeds.mint}`);',
    'delete statement',
    noSuchSeeds,
  ),
  ...explain(
    derivation,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (bump < 0) throw new RangeError(`no address of the program ${program} for these seeds`);',
    ['delete statement', 'shift boundary', 'change constant'],
    noSuchSeeds,
  ),
];
