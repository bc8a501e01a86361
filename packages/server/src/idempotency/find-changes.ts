import { hashMessage, messageHashText } from '../app/message-hash.ts';
import { Work } from '../app/work.ts';
import type { ChainHistory, FinalizedHeight } from '../chain/chain-history.ts';
import type { OutcomeFinder } from '../outcomes/outcome-finder.ts';
import { validityWindowOf } from '../outcomes/validity-window.ts';
import type { OutcomeItem, Verdict } from '../outcomes/verdict.ts';
import { readIntents } from './keyed-requests.ts';
import { decideChange, outcomeEventData } from './outcome-events.ts';
import type {
  TakenSender,
  WatchedChange,
  WatchedTransaction,
  WatchedTransactions,
} from './records/watched-transactions.ts';

export interface ChangeSources {
  watched: Pick<WatchedTransactions, 'isBuilt'>;
  outcomes: Pick<OutcomeFinder, 'find'>;
  history: Pick<ChainHistory, 'nodes'>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

/** How long the nodes may take. */
export const findTimeoutMs = 10_000;

/**
 * Finds out what has become of a sender's transactions, all together: equal payments are shared out among them.
 *
 * Returns those of which there is something to tell. Throws what `OutcomeFinder.find` throws, and when the database does not answer.
 */
export async function findChanges(
  { scope, transactions }: TakenSender,
  { watched, outcomes, history, now }: ChangeSources,
): Promise<readonly WatchedChange[]> {
  if (transactions.length === 0) return [];
  const work = new Work({ owner: scope, deadline: performance.now() + findTimeoutMs });
  const intents = await readIntents(transactions, work);
  const items = intents.map((intent, index) => {
    return { intent, lastValidBlockHeight: transactions[index]?.lastValidBlockHeight };
  });
  // Read before the search, which then sees all that landed until then. It asks the same node at once: both share one call.
  const finalized = await history
    .nodes()[0]
    ?.readFinalizedHeight(work.deadline)
    .catch(() => undefined);
  const verdicts = await outcomes.find(items, work, (message) => watched.isBuilt(hashMessage(message), scope));
  const at = now();
  return transactions.flatMap((transaction, index) => {
    const [item, verdict] = [items[index], verdicts[index]];
    if (!item || !verdict) throw new Error('a watched transaction has no verdict');
    return changeOf(transaction, verdict, { canLand: canLand(item, finalized), ownerId: scope, at });
  });
}

function canLand(item: OutcomeItem, finalized: FinalizedHeight | undefined): boolean {
  // What was found for a transaction with a nonce has used the nonce.
  return finalized === undefined || validityWindowOf(item, finalized)?.isOver === false;
}

function changeOf(
  transaction: WatchedTransaction,
  verdict: Verdict,
  { canLand, ownerId, at }: { canLand: boolean; ownerId: string; at: number },
): readonly WatchedChange[] {
  const { messageHash } = transaction;
  const { types, told, isOver } = decideChange(transaction.told, verdict, canLand);
  if (types.length === 0 && !isOver) return [];
  const data = outcomeEventData(transaction, verdict);
  const events = types.map((type) => ({ ownerId, type, objectId: messageHashText(messageHash), data, at }));
  const isOfWallet = isOver && verdict.outcome === 'landed' && verdict.matchedBy === 'content';
  return [{ messageHash, told, events, isOver, landedAs: isOfWallet ? hashMessage(verdict.message) : undefined }];
}
