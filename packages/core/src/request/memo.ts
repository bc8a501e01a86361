import type { MemoFault } from '../findings/finding-faults.ts';
import { memoCharacterCosts } from './memo-cost-table.ts';

/** A memo ready to go into a transaction. */
export interface Memo {
  text: string;
  /** The text in UTF-8. */
  bytes: Uint8Array;
  /** An upper bound of what the Memo program spends on it, by `estimateMemoComputeUnits`. */
  computeUnits: number;
}

const encoder = new TextEncoder();

/** Reads a memo text, or says why it cannot be one. A lone surrogate has no UTF-8 form, which the Memo program demands. */
export function parseMemo(text: string): { memo: Memo } | { fault: MemoFault } {
  if (text === '') return { fault: 'empty' };
  if (!text.isWellFormed()) return { fault: 'lone_surrogate' };
  const bytes = encoder.encode(text);
  return { memo: { text, bytes, computeUnits: estimateMemoComputeUnits(text, bytes) } };
}

// An empty memo with one signer costs up to 15,500, by the digits of the signer's key. The buffer that holds the text is
// copied each time it doubles: up to 6.02 a byte beyond the table, measured for each row at 916, 2,000 and 3,767 bytes.
const baseComputeUnits = 16_500;
const computeUnitsPerByte = 6.1;
// Printable text is copied in runs, each with a cost of its own.
const computeUnitsPerRun = 50;

/**
 * An upper bound of the compute units that the classic Memo program spends on a text signed by one wallet.
 *
 * Which Memo program stands at the pinned address differs by cluster: the newer one costs about 1 unit a byte, the classic
 * one from 340 for an ASCII letter to 20,000 for some emoji, so the classic one decides.
 */
function estimateMemoComputeUnits(text: string, bytes: Uint8Array): number {
  // A text is as long in UTF-16 as in UTF-8 when all of it is ASCII, and only then.
  return Math.ceil(text.length === bytes.length ? costOfAscii(bytes) : costOfAny(text));
}

function costOfAscii(bytes: Uint8Array): number {
  let computeUnits = baseComputeUnits + computeUnitsPerRun;
  for (let index = 0; index < bytes.length; index++) computeUnits += asciiCosts[bytes[index] ?? 0] ?? 0;
  return computeUnits;
}

function costOfAny(text: string): number {
  let computeUnits = baseComputeUnits;
  let length = 0;
  let row = 0;
  for (let index = 0; index < text.length; index++) {
    const codePoint = text.codePointAt(index) ?? 0;
    if (codePoint > 0xffff) index++;
    const characterLength = utf8Length(codePoint);
    if (characterLength !== length) computeUnits += computeUnitsPerRun;
    length = characterLength;
    if (length === 1) computeUnits += asciiCosts[codePoint] ?? 0;
    else {
      // Most characters are of the script of the one before.
      if (!isInRow(row, codePoint)) row = findRow(codePoint);
      computeUnits += (rowCosts[row] ?? 0) + computeUnitsPerByte * length;
    }
  }
  return computeUnits;
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

// The table in arrays of numbers, which are searched faster, and where the row after the last one would begin.
const rowStarts = Uint32Array.from([...memoCharacterCosts.map(([first]) => first), 0x110000]);
const rowCosts = Uint32Array.from(memoCharacterCosts, ([, units]) => units);

function isInRow(row: number, codePoint: number): boolean {
  return codePoint >= (rowStarts[row] ?? 0) && codePoint < (rowStarts[row + 1] ?? 0);
}

function findRow(codePoint: number): number {
  let low = 0;
  let high = rowCosts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rowStarts[middle] ?? 0) <= codePoint) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Nearly all memos are plain ASCII, whose costs need no search.
const asciiCosts = Float64Array.from(
  { length: 128 },
  (_, codePoint) => (rowCosts[findRow(codePoint)] ?? 0) + computeUnitsPerByte,
);
