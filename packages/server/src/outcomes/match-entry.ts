import { contentOfSol, type IntentMatch, matchIntent, sol, type TransferIntent } from 'splwright-core';
import type { HistoryEntry, LandedTransaction } from '../chain/chain-history.ts';
import { CannotTell, type Match } from './node-answer.ts';
import type { NodeView } from './node-view.ts';
import type { WindowPosition } from './validity-window.ts';
import type { OutcomeItem } from './verdict.ts';

/** The part of a transaction that is known before it is read. */
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

/** Returns a listed and read transaction as a match. */
export function toMatch(listed: ListedTransaction, by: Match['by'], landed: LandedTransaction): Match {
  const commitment = listed.commitment === 'finalized' ? 'finalized' : 'confirmed';
  return { signature: listed.signature, by, commitment, landed };
}

/** Says where a landed transaction is, relative to the validity window of the one that is asked for. */
export type PositionOf = (landed: LandedTransaction) => WindowPosition | Promise<WindowPosition>;

/**
 * Reads a listed transaction, and returns it as a match when it is the one asked for, or may be; `undefined` when it is another one.
 *
 * `positionOf` is called for an equal payment only. Throws like `readListed`.
 */
export async function matchEntry(
  view: NodeView,
  item: OutcomeItem,
  listed: ListedTransaction,
  positionOf: PositionOf,
): Promise<Match | undefined> {
  const landed = await readListed(view, listed);
  const intentMatch = await view.work.step(() => intentMatchOf(item.intent, landed));
  return intentMatch && decideMatch(item, { listed, landed, intentMatch }, positionOf);
}

/** A listed transaction, and how far it is the intended one. */
export interface ComparedTransaction {
  listed: ListedTransaction;
  landed: LandedTransaction;
  intentMatch: IntentMatch;
}

/** Returns a compared transaction as a match; `undefined` when it is certainly another one. Throws what `positionOf` throws. */
export async function decideMatch(
  { intent }: OutcomeItem,
  { listed, landed, intentMatch }: ComparedTransaction,
  positionOf: PositionOf,
): Promise<Match | undefined> {
  if (intentMatch === 'same_message') return toMatch(listed, 'message', landed);
  // Signed bytes cannot change any more.
  if (intent.isSigned) return undefined;
  const position = await positionOf(landed);
  if (position === 'within' && intentMatch === 'same_payments') return toMatch(listed, 'content', landed);
  return position !== 'before' && landed.error === null ? toMatch(listed, 'similar', landed) : undefined;
}

/** Returns how far a landed transaction is the intended one; what cannot be read may be any. */
export function intentMatchOf(
  intent: TransferIntent,
  { content, balances, lamportBalances, error }: LandedTransaction,
): IntentMatch | undefined {
  const hasSucceeded = error === null;
  if (!content) return hasSucceeded ? 'similar' : undefined;
  if (intent.mint !== sol) return matchIntent(intent, { content, balances, hasSucceeded });
  return matchIntent(intent, { content: contentOfSol(content), balances: lamportBalances, hasSucceeded });
}
