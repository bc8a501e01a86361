import { memoCharacterCosts } from './memo-cost-table.ts';

// An empty memo with one signer costs 14,930; printing the signer's key varies by some 500 with its digits, and the
// buffer that holds the text is copied each time it doubles, which adds less than 1,200 for all that fits a packet.
const baseComputeUnits = 17_000;

/** What one transaction may spend at most, whatever it asks for (`MAX_COMPUTE_UNIT_LIMIT` of the runtime). */
export const maximumComputeUnits = 1_400_000;

/** What the runtime grants for each instruction that is not a builtin, when nothing else is asked for. */
export const defaultComputeUnitsPerInstruction = 200_000;

/**
 * An upper bound of the compute units that the classic Memo program spends on a text signed by one wallet.
 *
 * Which Memo program stands at the pinned address differs by cluster: the newer one costs about 1 unit a byte, the classic
 * one from 340 for an ASCII letter to 20,000 for some emoji, so the classic one decides.
 */
export function estimateMemoComputeUnits(text: string): number {
  let computeUnits = baseComputeUnits;
  for (const character of text) computeUnits += costOf(character.codePointAt(0) ?? 0);
  return computeUnits;
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
