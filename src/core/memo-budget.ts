import type { Finding } from '../errors.ts';
import type { Memo } from './memo.ts';
import { defaultComputeUnitsPerInstruction, estimateMemoComputeUnits, maximumComputeUnits } from './memo-cost.ts';
import { leastMemoByteLimit, type MessageShape, memoByteLimit } from './message-size.ts';

// Beside the memo: a transfer takes up to 6,200 units under the classic token program and some 4,000 under Token-2022,
// creating the account some 20,000 and 1,500 for each step of its bump.
const besideMemo = { transfer: 10_000, create: 45_000 };
// Asked for on top where the limit of a transaction allows: for a transfer hook, and for what wallets insert.
const headroom = 30_000;

/** How a memo fits into a transaction: the compute limit it makes necessary, or why it does not fit. */
export function budgetMemo(
  memo: Memo,
  field: 'memo' | 'yid',
  shape: Omit<MessageShape, 'setsComputeUnitLimit'>,
): { computeUnitLimit: number | undefined } | { finding: Finding } {
  const creates = shape.operation === 'create_transfer';
  const computeUnitsBesideMemo = besideMemo.transfer + (creates ? besideMemo.create : 0);
  const computeUnits = memo.computeUnits + computeUnitsBesideMemo;
  const granted = (creates ? 3 : 2) * defaultComputeUnitsPerInstruction;
  const isCheap = computeUnits + headroom <= granted;
  if (isCheap && memo.bytes.length <= leastMemoByteLimit) return { computeUnitLimit: undefined };

  // A memo that is too long anyway is measured by the part of it that could stay.
  const longest = memoByteLimit({ ...shape, setsComputeUnitLimit: false });
  const kept = memo.bytes.length > longest ? estimateMemoComputeUnits(cut(memo.text, longest)) : memo.computeUnits;
  const needsLimit = kept + computeUnitsBesideMemo + headroom > granted;
  const limit = needsLimit ? memoByteLimit({ ...shape, setsComputeUnitLimit: true }) : longest;

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
  return { computeUnitLimit: needsLimit ? Math.min(computeUnits + headroom, maximumComputeUnits) : undefined };
}

function cut(text: string, byteLength: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(byteLength, 0)));
  return text.slice(0, read);
}
