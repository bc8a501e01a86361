import { type IntentMatch, matchIntent, type TransferIntent } from 'splwright-core';
import type { HistoryEntry, LandedTransaction } from '../chain/chain-history.ts';
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

/** Says where in the life of the transaction that is asked for a landed one is. */
export type PlaceOf = (landed: LandedTransaction) => Place | Promise<Place>;

/**
 * Returns a listed transaction as a sighting when it is the one asked for, or may be; `undefined` when it is another one.
 *
 * `placeOf` is asked for the place of a payment that is equal. Throws like `readListed`.
 */
export async function weighEntry(
  view: NodeView,
  item: OutcomeItem,
  listed: ListedTransaction,
  placeOf: PlaceOf,
): Promise<Sighting | undefined> {
  const landed = await readListed(view, listed);
  const match = await view.work.step(() => matchOf(item.intent, landed));
  return match && weighMatch(item, { listed, landed, match }, placeOf);
}

/** A listed transaction that is the one asked for, or pays like it. */
export interface MatchedTransaction {
  listed: ListedTransaction;
  landed: LandedTransaction;
  match: IntentMatch;
}

/** Returns a transaction that matches as a sighting, unless it is certainly another one. Throws what `placeOf` throws. */
export async function weighMatch(
  { intent }: OutcomeItem,
  { listed, landed, match }: MatchedTransaction,
  placeOf: PlaceOf,
): Promise<Sighting | undefined> {
  if (match === 'same_message') return sightingOf(listed, 'message', landed);
  // What somebody has signed cannot be changed any more.
  if (intent.isSigned) return undefined;
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
