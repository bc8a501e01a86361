import type { MemoFault } from '../findings/finding-faults.ts';
import { estimateMemoComputeUnits } from './memo-cost.ts';

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
