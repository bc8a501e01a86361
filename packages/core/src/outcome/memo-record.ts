import type { TransferIntent } from './transfer-intent.ts';

const encoder = new TextEncoder();

/**
 * What a node lists as `memo` of a transaction with the intent's memos: `[12] invoice 1001`, several joined by `; `.
 *
 * Null without a memo. From `extract_memos` of Agave's `transaction-status`: the number counts bytes.
 */
export function memoRecordOf({ memos }: Pick<TransferIntent, 'memos'>): string | null {
  if (memos.length === 0) return null;
  return memos
    .map((memo) => {
      if (!memo.isWellFormed()) return `[${memo.length}] (unparseable)`;
      return `[${encoder.encode(memo).length}] ${memo}`;
    })
    .join('; ');
}
