import type { Finding } from '../findings/finding.ts';
import { type InstructionCounts, maxComputeUnits, maxComputeUnitsWithoutMemo } from '../plan/compute-cost.ts';
import { computeLimitOfMemos } from '../plan/compute-limit.ts';
import { type MemoSurroundings, memoRoom, minMemoRoom } from '../plan/plan-size.ts';
import { type Memo, parseMemo } from '../request/memo.ts';

/** Returns the finding when a memo has too many bytes or costs too much for the transaction of its request, otherwise undefined. */
export function checkMemo(memo: Memo, request: MemoSurroundings): Finding | undefined {
  const counts = countInstructions(request);
  const computeUnitLimit = computeLimitOfMemos(memo.computeUnits, counts);
  const tooLong =
    memo.bytes.length > minMemoRoom || request.splits.length > 0
      ? checkLength(memo, request, computeUnitLimit)
      : undefined;
  // With less than the maximum there is enough for it.
  if (tooLong || computeUnitLimit !== maxComputeUnits) return tooLong;

  const computeUnits = memo.computeUnits;
  const maxMemoUnits = maxComputeUnits - maxComputeUnitsWithoutMemo(counts);
  if (computeUnits <= maxMemoUnits) return undefined;
  const context = { computeUnits, maxOfTransaction: maxComputeUnits, maxOfMemo: maxMemoUnits };
  return { code: 'memo_too_costly', field: 'memo', context };
}

function checkLength(memo: Memo, request: MemoSurroundings, computeUnitLimit: number | undefined): Finding | undefined {
  // Most memos fit as they are.
  if (memo.bytes.length <= memoRoom(request, computeUnitLimit !== undefined)) return undefined;
  const plainRoom = memoRoom(request, false);
  const isTooLongAnyway = memo.bytes.length > plainRoom;
  const needsLimit = isTooLongAnyway ? startNeedsLimit(memo, plainRoom, request) : computeUnitLimit !== undefined;
  const room = Math.max(needsLimit ? memoRoom(request, true) : plainRoom, 0);
  return { code: 'memo_too_long', field: 'memo', context: { byteLength: memo.bytes.length, maxByteLength: room } };
}

// A memo that is too long anyway is measured by the start of it that has room.
function startNeedsLimit({ text }: Memo, room: number, request: MemoSurroundings): boolean {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(room, 0)));
  const start = parseMemo(text.slice(0, read));
  return 'memo' in start && computeLimitOfMemos(start.memo.computeUnits, countInstructions(request)) !== undefined;
}

// Before the chain is asked: the accounts that are created for certain.
function countInstructions({ createTokenAccount, to, splits }: MemoSurroundings): InstructionCounts {
  const creates = createTokenAccount === 'always' ? new Set([to, ...splits.map((split) => split.to)]).size : 0;
  return { transfers: 1 + splits.length, creates, memos: 1 };
}
