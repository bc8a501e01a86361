import type { Address } from 'splwright-core';
import type { HistoryEntry, LandedTransaction } from '../chain/chain-history.ts';
import { isRefused, UpstreamFault } from '../chain/upstream-faults.ts';
import type { HistoryReach, ReadEntries } from './address-history.ts';
import { type ComparedTransaction, decideMatch, intentMatchOf, readListed } from './match-entry.ts';
import { CannotTell, hasPaid, isCertain, isOwn, type Match, type Stance } from './node-answer.ts';
import { addressesToSearch, type NodeView } from './node-view.ts';
import { positionInWindow, type ValidityWindow, type WindowPosition } from './validity-window.ts';
import type { OutcomeItem } from './verdict.ts';

/** Where and how far to search. */
export interface SearchRange extends HistoryReach {
  /** In which blocks a payment is the one asked for; without it every equal payment is in doubt. */
  window: ValidityWindow | undefined;
  /** The slot that the node must have reached. */
  minContextSlot: bigint;
}

/** The matches that a search found, and why it may have overlooked some. */
export interface SearchResult {
  /** The oldest first. */
  matches: readonly Match[];
  obstacle: Stance | undefined;
}

// How many transactions are looked at before it is asked whether one of them is the one.
const chunkSize = 8;

/**
 * Searches the histories of a transaction's accounts for what it pays.
 *
 * To prove absence, the history of a reference is not enough: a wallet can have left the reference out. The history of one token
 * account is: where one cannot be read, the other is. Throws the `UpstreamFault` of the first when none can be read.
 */
export async function searchPayments(view: NodeView, item: OutcomeItem, range: SearchRange): Promise<SearchResult> {
  let newest: readonly HistoryEntry[] | undefined;
  let fault: UpstreamFault | undefined;
  const search = async (address: Address): Promise<SearchResult | undefined> => {
    const read = await readOrFault(view, item, address, range);
    if (read instanceof UpstreamFault) {
      fault ??= read;
      return undefined;
    }
    const { entries, isWhole, isOverfull } = read;
    // Without a validity window, and where absence need not be proven, the newest ones are enough.
    const suffices = isWhole || !(range.window || range.needsProof);
    if (suffices && !isOverfull) return matchAll(view, item, range.window, entries);
    newest ??= entries;
    return undefined;
  };
  for (const { address, provesAbsence } of searchOrder(view, item)) {
    const found = await search(address);
    if (found && (provesAbsence || !range.needsProof || found.matches.some(isOwn))) return found;
  }
  if (!newest && fault) throw fault;
  const { matches } = await matchAll(view, item, range.window, newest ?? []);
  return { matches, obstacle: { kind: 'cannot_tell', reason: 'too_many_transactions' } };
}

/** The history of a reference is the shortest, but that of a sender is read once for all items that it pays. */
function searchOrder(view: NodeView, item: OutcomeItem): readonly { address: Address; provesAbsence: boolean }[] {
  const { reference, tokenAccounts } = addressesToSearch(item);
  const references = reference === undefined ? [] : [{ address: reference, provesAbsence: false }];
  const accounts = tokenAccounts.map((address) => ({ address, provesAbsence: true }));
  const before = view.isShared(item.intent.source) ? 1 : 0;
  return [...accounts.slice(0, before), ...references, ...accounts.slice(before)];
}

async function readOrFault(
  view: NodeView,
  item: OutcomeItem,
  address: Address,
  range: SearchRange,
): Promise<ReadEntries | UpstreamFault> {
  try {
    return await view.search(item, address, range);
  } catch (error) {
    if (error instanceof UpstreamFault) return error;
    throw error;
  }
}

/**
 * Searches the histories of a transaction's accounts for its signature.
 *
 * Throws a `CannotTell` when they are too long, and the `UpstreamFault` of the first that cannot be read when no other suffices.
 */
export async function searchSignature(
  view: NodeView,
  item: OutcomeItem,
  range: SearchRange,
): Promise<HistoryEntry | undefined> {
  const { reference, tokenAccounts } = addressesToSearch(item);
  let fault: UpstreamFault | undefined;
  for (const address of reference === undefined ? tokenAccounts : [reference, ...tokenAccounts]) {
    const read = await readOrFault(view, item, address, range);
    if (read instanceof UpstreamFault) fault ??= read;
    else if (read.entries[0] || read.isWhole) return read.entries[0];
  }
  throw fault ?? new CannotTell('too_many_transactions');
}

async function matchAll(
  view: NodeView,
  item: OutcomeItem,
  window: ValidityWindow | undefined,
  candidates: readonly HistoryEntry[],
): Promise<SearchResult> {
  const matches: Match[] = [];
  let obstacle: Stance | undefined;
  for (let start = 0; start < candidates.length; start += chunkSize) {
    const chunk = candidates.slice(start, start + chunkSize);
    const read = await Promise.all(chunk.map((listed) => readOrObstacle(view, listed)));
    const compared = await view.work.step(() => comparedAmong(read, item));
    obstacle ??= read.find((each) => 'kind' in each);
    const decided = await Promise.all(
      compared.map((each) => decideMatch(item, each, (landed) => positionOf(view, window, landed))),
    );
    matches.push(...decided.filter((match) => match !== undefined));
    // There is nothing left to find out.
    if (matches.some((match) => isCertain(match) && hasPaid(match))) break;
  }
  return { matches: matches.toReversed(), obstacle };
}

type ReadEntry = Pick<ComparedTransaction, 'listed' | 'landed'>;

async function readOrObstacle(view: NodeView, listed: HistoryEntry): Promise<ReadEntry | Stance> {
  if (listed.commitment === 'processed') return { kind: 'insists', reason: 'not_final' };
  try {
    return { listed, landed: await readListed(view, listed) };
  } catch (error) {
    if (error instanceof CannotTell) return { kind: 'cannot_tell', reason: error.reason };
    throw error;
  }
}

function comparedAmong(read: readonly (ReadEntry | Stance)[], { intent }: OutcomeItem): readonly ComparedTransaction[] {
  return read.flatMap((entry) => {
    const intentMatch = 'kind' in entry ? undefined : intentMatchOf(intent, entry.landed);
    return intentMatch && 'landed' in entry ? [{ ...entry, intentMatch }] : [];
  });
}

// Without a validity window any equal payment may be the one asked for.
async function positionOf(
  view: NodeView,
  window: ValidityWindow | undefined,
  { slot }: LandedTransaction,
): Promise<WindowPosition> {
  if (!window) return 'doubtful';
  try {
    const height = await view.blockHeight(slot);
    return height === null ? 'doubtful' : positionInWindow(window, height);
  } catch (error) {
    // A node that keeps no blocks leaves only this open.
    if (isRefused(error)) return 'doubtful';
    throw error;
  }
}
