import type { Memo } from '../request/memo.ts';
import { memoCharacterCosts } from './memo-cost-table.ts';

// An empty memo with one signer costs up to 15,500, by the digits of the signer's key. The buffer that holds the text is
// copied each time it doubles: up to 6.02 a byte beyond the table, measured for each row at 916, 2,000 and 3,767 bytes.
const baseComputeUnits = 16_500;
const computeUnitsPerByte = 6.1;
// Printable text is copied in runs, each with a cost of its own.
const computeUnitsPerRun = 50;
// The dearest character for its length, everything included: U+007F in ASCII, U+FF80 among all.
const maxComputeUnitsPerByte = { ascii: 1_200, other: 5_310 };

/**
 * An upper bound of the compute units that the classic Memo program spends on a text signed by one wallet.
 *
 * Which Memo program stands at the pinned address differs by cluster: the newer one costs about 1 unit a byte, the classic
 * one from 340 for an ASCII letter to 20,000 for some emoji, so the classic one decides.
 */
export function estimateMemoComputeUnits(text: string): number {
  let computeUnits = baseComputeUnits;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const codePoint = text.codePointAt(index) ?? 0;
    if (codePoint > 0xffff) index++;
    const characterLength = utf8Length(codePoint);
    if (characterLength !== length) computeUnits += computeUnitsPerRun;
    length = characterLength;
    computeUnits += asciiCosts[codePoint] ?? costOf(codePoint) + computeUnitsPerByte * length;
  }
  return Math.ceil(computeUnits);
}

/** A coarser upper bound of the same, from the length of the memo alone. */
export function boundMemoComputeUnits({ text, bytes }: Memo): number {
  // A text is as long in UTF-16 as in UTF-8 when all of it is ASCII, and only then.
  const isAscii = text.length === bytes.length;
  const perByte = isAscii ? maxComputeUnitsPerByte.ascii : maxComputeUnitsPerByte.other;
  return baseComputeUnits + computeUnitsPerRun + bytes.length * perByte;
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

function costOf(codePoint: number): number {
  let low = 0;
  let high = memoCharacterCosts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((memoCharacterCosts[middle]?.[0] ?? 0) <= codePoint) low = middle;
    else high = middle - 1;
  }
  return memoCharacterCosts[low]?.[1] ?? 0;
}

// Nearly all memos are plain ASCII, whose costs need no search.
const asciiCosts = Array.from({ length: 128 }, (_, codePoint) => costOf(codePoint) + computeUnitsPerByte);
