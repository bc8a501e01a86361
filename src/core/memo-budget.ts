import type { Finding } from '../errors.ts';
import { transactionSizeLimit } from './encode-transaction.ts';
import type { Memo } from './memo.ts';
import { defaultComputeUnitsPerInstruction, maximumComputeUnits } from './memo-cost.ts';

// Bytes of a transaction with a memo, without the memo's own bytes and its length: one signature (1 + 64), header (3),
// six accounts and their count (1 + 192), blockhash (32), instruction count (1), memo instruction (1 + 2), transfer (17).
const bytesAroundMemo = 314;
// Compute Budget's address (32) and its instruction (8).
const bytesOfComputeUnitLimit = 40;

// Beside the memo: a transfer takes up to 6,200 units under the classic token program and some 4,000 under Token-2022;
// the rest is room for a transfer hook and for what wallets insert.
const computeUnitsBesideMemo = 40_000;

/** How a memo fits into a transaction: the compute limit it brings, or why it does not fit. */
export function budgetMemo(memo: Memo, field: string): { computeUnitLimit: number | undefined } | { finding: Finding } {
  const computeUnits = memo.computeUnits + computeUnitsBesideMemo;
  const instructionCount = 2;
  const needsLimit = computeUnits > instructionCount * defaultComputeUnitsPerInstruction;
  const room = transactionSizeLimit - bytesAroundMemo - (needsLimit ? bytesOfComputeUnitLimit : 0);
  // A length of 128 or more takes two bytes.
  const limit = room - 1 < 128 ? room - 1 : room - 2;

  if (memo.bytes.length > limit) {
    return {
      finding: {
        code: 'memo_too_long',
        pointer: `/${field}`,
        detail:
          `${field} has ${memo.bytes.length} bytes of UTF-8; this transaction has room for ${limit}. ` +
          `Shorten it by ${memo.bytes.length - limit} bytes.`,
      },
    };
  }
  if (computeUnits > maximumComputeUnits) {
    return {
      finding: {
        code: 'memo_too_costly',
        pointer: `/${field}`,
        detail:
          `${field} could cost the classic Memo program ${memo.computeUnits} compute units; ` +
          `a transaction may spend ${maximumComputeUnits}, of which the memo may take ` +
          `${maximumComputeUnits - computeUnitsBesideMemo}. Use fewer characters outside the Latin alphabets.`,
      },
    };
  }
  return { computeUnitLimit: needsLimit ? computeUnits : undefined };
}
