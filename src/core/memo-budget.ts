import type { Finding } from '../errors.ts';
import type { Memo } from './memo.ts';
import { defaultComputeUnitsPerInstruction, maximumComputeUnits } from './memo-cost.ts';
import { type MessageShape, memoByteLimit } from './message-size.ts';

// Beside the memo: a transfer takes up to 6,200 units under the classic token program and some 4,000 under Token-2022,
// creating the account some 20,000 and 1,500 for each step of its bump; the rest is room for a transfer hook and for what
// wallets insert.
const besideMemo = { transfer: 40_000, create: 60_000 };

/** How a memo fits into a transaction: the compute limit it makes necessary, or why it does not fit. */
export function budgetMemo(
  memo: Memo,
  field: 'memo' | 'yid',
  shape: Omit<MessageShape, 'setsComputeUnitLimit'>,
): { computeUnitLimit: number | undefined } | { finding: Finding } {
  const creates = shape.operation === 'create_transfer';
  const computeUnitsBesideMemo = besideMemo.transfer + (creates ? besideMemo.create : 0);
  const computeUnits = memo.computeUnits + computeUnitsBesideMemo;
  const instructionCount = creates ? 3 : 2;
  const needsLimit = computeUnits > instructionCount * defaultComputeUnitsPerInstruction;
  const limit = memoByteLimit({ ...shape, setsComputeUnitLimit: needsLimit });

  if (memo.bytes.length > limit) {
    return {
      finding: {
        code: 'memo_too_long',
        pointer: `/${field}`,
        detail:
          `${field} has ${memo.bytes.length} bytes of UTF-8; this transaction has room for ${Math.max(limit, 0)}. ` +
          `Shorten it by ${memo.bytes.length - Math.max(limit, 0)} bytes.`,
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
