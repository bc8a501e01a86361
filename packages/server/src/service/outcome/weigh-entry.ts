import { type IntentMatch, matchIntent, type TransferIntent } from 'splwright-core';
import type { HistoryEntry, LandedTransaction } from '../../chain/chain-history.ts';
import type { Place } from './life.ts';
import type { NodeView } from './node-view.ts';
import { CannotTell, type Sighting } from './sighting.ts';
import type { OutcomeItem } from './verdict.ts';

/** What a transaction is listed or known as before it is read. */
export type ListedTransaction = Pick<HistoryEntry, 'signature' | 'slot' | 'error' | 'commitment'>;

/**
 * Reads a transaction that a node lists.
 *
 * Throws a `CannotTell` when the node does not have it, or has another than it lists.
 */
export async function readListed(view: NodeView, listed: ListedTransaction): Promise<LandedTransaction> {
  const landed = await view.transaction(listed.signature);
  const isAsListed = landed?.slot === listed.slot && (landed.error === null) === (listed.error === null);
  if (!landed || !isAsListed) throw new CannotTell('history_not_available');
  return landed;
}

/** A sighting of a transaction that is listed. */
export function sightingOf(listed: ListedTransaction, by: Sighting['by'], landed: LandedTransaction): Sighting {
  const commitment = listed.commitment === 'finalized' ? 'finalized' : 'confirmed';
  return { signature: listed.signature, by, commitment, landed };
}

/**
 * Returns a listed transaction as a sighting when it is the one asked for, or may be; `undefined` when it is another one.
 *
 * `placeOf` is asked for the place of a payment that is equal. Throws like `readListed`.
 */
export async function weighEntry(
  view: NodeView,
  { intent }: OutcomeItem,
  listed: ListedTransaction,
  placeOf: (landed: LandedTransaction) => Place | Promise<Place>,
): Promise<Sighting | undefined> {
  const landed = await readListed(view, listed);
  const match = matchOf(intent, landed);
  if (match === 'same_message') return sightingOf(listed, 'message', landed);
  // What somebody has signed cannot be changed any more.
  if (intent.isSigned || match === undefined) return undefined;
  const place = await placeOf(landed);
  if (place === 'within' && match === 'same_payments') return sightingOf(listed, 'content', landed);
  return place !== 'before' && landed.error === null ? sightingOf(listed, 'similar', landed) : undefined;
}

/** Returns how far a landed transaction is the intended one; what cannot be read may be any. */
export function matchOf(
  intent: TransferIntent,
  { content, balances, error }: LandedTransaction,
): IntentMatch | undefined {
  const hasSucceeded = error === null;
  if (!content) return hasSucceeded ? 'similar' : undefined;
  return matchIntent(intent, { content, balances, hasSucceeded });
}
