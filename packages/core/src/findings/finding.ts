import type { FindingCode } from './finding-codes.ts';
import type { FindingContexts } from './finding-contexts.ts';

/** Where a request names somebody who is paid: the recipient, or that of a split or of a transfer of a batch, by its index. */
export type RecipientField = 'to' | { split: number; part: 'to' } | { transfer: number; part: 'to' };

/** A value of one transfer of a batch, by the index of the transfer. */
export type BatchTransferField =
  | { transfer: number; part: 'to' | 'amount' | 'amountDecimal' | 'memo' | 'references' }
  | { transfer: number; part: 'references'; index: number };

/** A value of a transfer request, as the core calls it; of references and splits the index of the one that is meant. */
export type FindingField =
  | 'from'
  | 'mint'
  | 'amount'
  | 'amountDecimal'
  | 'amountMin'
  | 'memo'
  | 'feePayer'
  | 'createTokenAccount'
  | 'transactionVersion'
  | 'priorityFee'
  | 'nonceAccount'
  | 'references'
  | { references: number }
  | 'splits'
  | { split: number; part: 'amount' }
  | 'transfers'
  | BatchTransferField
  | RecipientField;

/** A finding of one of these codes. */
export type FindingOf<Code extends FindingCode> = {
  [Each in Code]: { code: Each; field: FindingField; context: FindingContexts[Each] };
}[Code];

/**
 * One reason for which a transfer is refused, as data: what is wrong, with which value of the request, and what was found.
 *
 * It has no words: whoever shows it to somebody has the sentence for each code.
 */
export type Finding = FindingOf<FindingCode>;
