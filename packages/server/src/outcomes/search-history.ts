import type { Address } from 'splwright-core';
import type { HistoryEntry, LandedTransaction } from '../chain/chain-history.ts';
import type { HistoryReach } from './address-history.ts';
import { type Life, type Place, placeInLife } from './life.ts';
import { isRefused, type NodeView } from './node-view.ts';
import { addressesToSearch } from './search-scope.ts';
import { CannotTell, hasPaid, isCertain, type Sighting, type Stance } from './sighting.ts';
import type { OutcomeItem } from './verdict.ts';
import { type MatchedTransaction, matchOf, readListed, weighMatch } from './weigh-entry.ts';

/** Where and how far to search. */
export interface SearchRange extends HistoryReach {
  /** Between which blocks a payment is the one asked for; without it every payment is in doubt. */
  life: Life | undefined;
  /** The node must have come so far. */
  minContextSlot: bigint;
}

/** What a search found, and why it may have overlooked something. */
export interface SearchResult {
  /** The oldest first. */
  sightings: readonly Sighting[];
  obstacle: Stance | undefined;
}

// How many transactions are looked at before it is asked whether one of them is the one.
const chunkSize = 8;

/**
 * Searches the histories of a transaction's accounts for what it pays.
 *
 * Where nothing found must mean that there is nothing, that of a reference does not do: a wallet can have left it out.
 */
export async function searchPayments(view: NodeView, item: OutcomeItem, range: SearchRange): Promise<SearchResult> {
  const { reference, tokenAccounts } = addressesToSearch(item);
  let newest: readonly HistoryEntry[] | undefined;
  const search = async (address: Address): Promise<SearchResult | undefined> => {
    const { entries, isWhole, isOverfull } = await view.search(item, address, range);
    // Without a life and a need for proof, the newest ones are enough.
    const suffices = isWhole || !(range.life || range.needsProof);
    if (suffices && !isOverfull) return weighAll(view, item, range.life, entries);
    newest ??= entries;
    return undefined;
  };
  if (reference !== undefined) {
    const found = await search(reference);
    if (found && (!range.needsProof || found.sightings.some(isOwn))) return found;
  }
  for (const account of tokenAccounts) {
    const found = await search(account);
    if (found) return found;
  }
  const { sightings } = await weighAll(view, item, range.life, newest ?? []);
  return { sightings, obstacle: { kind: 'cannot_tell', reason: 'too_many_transactions' } };
}

function isOwn(sighting: Sighting): boolean {
  return sighting.by !== 'similar' && hasPaid(sighting);
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
  const { reference, tokenAccounts } = addressesToSearch(item);
  for (const address of reference === undefined ? tokenAccounts : [reference, ...tokenAccounts]) {
    const { entries, isWhole } = await view.search(item, address, range);
    const [found] = entries;
    if (found || isWhole) return found;
  }
  throw new CannotTell('too_many_transactions');
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
    const read = await Promise.all(chunk.map((listed) => readOrObstacle(view, listed)));
    const matched = await view.work.step(() => matchesAmong(read, item));
    obstacle ??= read.find((each) => 'kind' in each);
    const weighed = await Promise.all(
      matched.map((each) => weighMatch(item, each, (landed) => placeOf(view, life, landed))),
    );
    sightings.push(...weighed.filter((sighting) => sighting !== undefined));
    // There is nothing left to find out.
    if (sightings.some((sighting) => isCertain(sighting) && hasPaid(sighting))) break;
  }
  return { sightings: sightings.toReversed(), obstacle };
}

type ReadEntry = Pick<MatchedTransaction, 'listed' | 'landed'>;

async function readOrObstacle(view: NodeView, listed: HistoryEntry): Promise<ReadEntry | Stance> {
  if (listed.commitment === 'processed') return { kind: 'insists', reason: 'not_final' };
  try {
    return { listed, landed: await readListed(view, listed) };
  } catch (error) {
    if (error instanceof CannotTell) return { kind: 'cannot_tell', reason: error.reason };
    throw error;
  }
}

function matchesAmong(read: readonly (ReadEntry | Stance)[], { intent }: OutcomeItem): readonly MatchedTransaction[] {
  return read.flatMap((entry) => {
    const match = 'kind' in entry ? undefined : matchOf(intent, entry.landed);
    return match && 'landed' in entry ? [{ ...entry, match }] : [];
  });
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
