import type { Random } from './random.ts';
import type { MemoWorld } from './world.ts';

interface Alphabet {
  characters: readonly string[];
  /** Whether the classic Memo program may need more for a text that fits than the runtime grants by default. */
  costly: boolean;
  /** Numbers of characters about which something changes: the room in the packet, the room in the compute limits. */
  edges: readonly number[];
}

const alphabets: readonly Alphabet[] = [
  { characters: ['a'], costly: false, edges: [916] },
  { characters: [...'Invoice 12345 "paid"\n'], costly: false, edges: [916] },
  { characters: ['é'], costly: false, edges: [458] },
  { characters: ['я'], costly: false, edges: [458] },
  { characters: ['漢'], costly: true, edges: [34, 42, 120, 292, 305] },
  { characters: ['😀'], costly: true, edges: [20, 25, 73, 219, 229] },
  { characters: ['\u0001'], costly: true, edges: [440, 472, 876, 916] },
  { characters: ['a', 'é', '漢', '😀'], costly: true, edges: [26, 34, 60, 100] },
];

/** Draws a memo: a short one that runs everywhere, or, when it shall be odd, one of a length at which something changes. */
export function drawMemo(random: Random, odd: boolean): MemoWorld {
  const alphabet = random.pick(alphabets);
  const length = odd ? random.pick(alphabet.edges) + random.integer(-3, 3) : random.integer(1, 12);
  const text = Array.from({ length }, () => random.pick(alphabet.characters)).join('');
  return { text, costly: alphabet.costly && odd };
}
