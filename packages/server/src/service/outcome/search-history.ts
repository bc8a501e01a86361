import { type Address, memoRecordOf } from 'splwright-core';
import type { HistoryEntry, LandedTransaction } from '../../chain/chain-history.ts';
import type { HistoryReach } from './address-history.ts';
import { type Life, type Place, placeInLife } from './life.ts';
import { isRefused } from './node-faults.ts';
import type { NodeView } from './node-view.ts';
import { CannotTell, hasPaid, isCertain, type Sighting, type Stance } from './sighting.ts';
import type { OutcomeItem } from './verdict.ts';
import { weighEntry } from './weigh-entry.ts';

/** Where and how far to search. */
export interface SearchRange {
  life: Life | undefined;
  /** The node must have come so far. */
  minContextSlot: bigint;
  /** Whether nothing found must mean that there is nothing. */
  needsProof: boolean;
}

/** What a search found, and why it may have overlooked something. */
export interface SearchResult {
  /** The oldest first. */
  sightings: readonly Sighting[];
  obstacle: Stance | undefined;
}

// How many transactions are looked at before it is asked whether one of them is the one.
const chunkSize = 8;

/** Searches the histories of a transaction's accounts for what it pays. */
export async function searchPayments(view: NodeView, item: OutcomeItem, range: SearchRange): Promise<SearchResult> {
  let newest: readonly HistoryEntry[] | undefined;
  for (const address of addressesToSearch(item)) {
    const { entries, isWhole } = await view
      .history(address, { minContextSlot: range.minContextSlot })
      .read(reachOf(range));
    const candidates = candidatesAmong(entries, item);
    // Without a life nothing can be denied, and the newest ones are enough.
    if ((isWhole || !range.life) && candidates.length <= view.maxCandidates) {
      return weighAll(view, item, range.life, candidates);
    }
    newest ??= candidates.slice(0, view.maxCandidates);
  }
  const { sightings } = await weighAll(view, item, range.life, newest ?? []);
  return { sightings, obstacle: { kind: 'cannot_tell', reason: 'too_many_transactions' } };
}

/**
 * Searches the histories of a transaction's accounts for its signature.
 *
 * Throws a `CannotTell` when they are too long.
 */
export async function searchSignature(
  view: NodeView,
  item: OutcomeItem,
  range: SearchRange,
): Promise<HistoryEntry | undefined> {
  for (const address of addressesToSearch(item)) {
    const { entries, isWhole } = await view
      .history(address, { minContextSlot: range.minContextSlot })
      .read(reachOf(range));
    const found = entries.find(({ signature }) => signature === item.intent.signature);
    if (found || isWhole) return found;
  }
  throw new CannotTell('too_many_transactions');
}

// A reference is used by this payment alone. The last payment is the main one: those before it are splits.
function addressesToSearch({ intent: { payments, source } }: OutcomeItem): readonly Address[] {
  const reference = payments.findLast(({ references }) => references.length > 0)?.references[0];
  const destination = payments.at(-1)?.destination;
  return [...new Set([reference, source, destination].filter((address) => address !== undefined))];
}

function reachOf({ life, needsProof }: SearchRange): HistoryReach {
  return { floorSlot: life?.floorSlot ?? 0n, needsProof };
}

// Agave's form of a memo: its length in bytes, and its text.
const memoForm = /^\[\d+\] /;

// A node that lists no memo at all may have kept none, and one in another form than usual may be any.
function candidatesAmong(entries: readonly HistoryEntry[], { intent }: OutcomeItem): readonly HistoryEntry[] {
  const record = memoRecordOf(intent);
  const listsMemos = entries.some(({ memo }) => memo !== null && memoForm.test(memo));
  return entries.filter(({ memo }) => {
    if (memo === null) return record === null || !listsMemos;
    return memo === record || !memoForm.test(memo);
  });
}

async function weighAll(
  view: NodeView,
  item: OutcomeItem,
  life: Life | undefined,
  candidates: readonly HistoryEntry[],
): Promise<SearchResult> {
  const sightings: Sighting[] = [];
  let obstacle: Stance | undefined;
  for (let start = 0; start < candidates.length; start += chunkSize) {
    const chunk = candidates.slice(start, start + chunkSize);
    const weighed = await Promise.all(chunk.map((entry) => weighOrObstacle(view, item, life, entry)));
    for (const found of weighed) {
      if (found && 'kind' in found) obstacle ??= found;
      else if (found) sightings.push(found);
    }
    // There is nothing left to find out.
    if (sightings.some((sighting) => isCertain(sighting) && hasPaid(sighting))) break;
  }
  return { sightings: sightings.toReversed(), obstacle };
}

async function weighOrObstacle(
  view: NodeView,
  item: OutcomeItem,
  life: Life | undefined,
  entry: HistoryEntry,
): Promise<Sighting | Stance | undefined> {
  if (entry.commitment === 'processed') return { kind: 'insists', reason: 'not_final' };
  try {
    return await weighEntry(view, item, entry, (landed) => placeOf(view, life, landed));
  } catch (error) {
    if (error instanceof CannotTell) return { kind: 'cannot_tell', reason: error.reason };
    throw error;
  }
}

// Without a life, an equal payment can be any.
async function placeOf(view: NodeView, life: Life | undefined, { slot }: LandedTransaction): Promise<Place> {
  if (!life) return 'doubtful';
  try {
    const height = await view.blockHeight(slot);
    return height === null ? 'doubtful' : placeInLife(life, height);
  } catch (error) {
    // A node that keeps no blocks leaves only this open.
    if (isRefused(error)) return 'doubtful';
    throw error;
  }
}
