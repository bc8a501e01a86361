import { messageHashText } from '../app/message-hash.ts';
import type { Verdict } from '../outcomes/verdict.ts';
import { verdictJson } from '../outcomes/verdict-json.ts';
import type { EventType } from '../webhooks/event-types.ts';
import type { WatchedTransaction } from './records/watched-transactions.ts';

/** The change that a verdict makes to a watched transaction. */
export interface OutcomeChange {
  /** The events to tell, in their order. */
  types: readonly EventType[];
  /** The event that was told then. */
  told: WatchedTransaction['told'];
  /** Whether nothing can follow: it need not be watched any more. */
  isOver: boolean;
}

/**
 * Decides what a verdict tells about a transaction.
 *
 * Each type is told once. What a fork takes back after `transfer.landed` is waited for again, and nothing is said of it.
 *
 * `canLand`: whether its own bytes may still land. A payment that was found by what it pays alone stays watched for as long: should the
 * bytes land too, that payment was an equal one, whose transaction must not be told as expired.
 */
export function decideChange(told: WatchedTransaction['told'], verdict: Verdict, canLand: boolean): OutcomeChange {
  if (verdict.outcome === 'landed') {
    const isFinal = verdict.commitment === 'finalized';
    const types: EventType[] = [
      ...(told === null ? (['transfer.landed'] as const) : []),
      ...(isFinal && told !== 'final' ? (['transfer.final'] as const) : []),
    ];
    const isOver = isFinal && !(verdict.matchedBy === 'content' && canLand);
    return { types, told: isFinal || told === 'final' ? 'final' : 'landed', isOver };
  }
  const isDead = verdict.outcome === 'expired' || (verdict.outcome === 'failed' && verdict.commitment === 'finalized');
  if (!isDead || told === 'final') return { types: [], told, isOver: isDead };
  return { types: [`transfer.${verdict.outcome}`], told, isOver: true };
}

/** Returns the data of an event: the verdict as the route of outcomes replies it, and which transaction of which request it is. */
export function outcomeEventData(transaction: WatchedTransaction, verdict: Verdict): object {
  const { messageHash, path, key, index, transfers, metadata } = transaction;
  return {
    message_hash: messageHashText(messageHash),
    idempotency_key: key,
    path,
    transaction_index: index,
    ...(transfers && { transfers }),
    ...(metadata && { metadata }),
    ...verdictJson(verdict),
  };
}
