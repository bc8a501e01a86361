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
    const { entries, isWhole } = await readHistory(view, address, range);
    const candidates = candidatesAmong(entries, item);
    // Without a life and a need for proof, the newest ones are enough.
    const suffices = isWhole || !(range.life || range.needsProof);
    if (suffices && candidates.length <= view.maxCandidates) return weighAll(view, item, range.life, candidates);
    newest ??= candidates.slice(0, view.maxCandidates);
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
    const { entries, isWhole } = await readHistory(view, address, range);
    const found = entries.find(({ signature }) => signature === item.intent.signature);
    if (found || isWhole) return found;
  }
  throw new CannotTell('too_many_transactions');
}

// A reference is used by this payment alone. The last payment is the main one: those before it are splits.
function addressesToSearch({ intent: { payments, source } }: OutcomeItem): {
  reference: Address | undefined;
  tokenAccounts: readonly Address[];
} {
  const reference = payments.findLast(({ references }) => references.length > 0)?.references[0];
  const destination = payments.at(-1)?.destination;
  return { reference, tokenAccounts: destination === undefined ? [source] : [source, destination] };
}

function readHistory(
  view: NodeView,
  address: Address,
  { minContextSlot, ...reach }: SearchRange,
): Promise<{ entries: readonly HistoryEntry[]; isWhole: boolean }> {
  return view.history(address, { minContextSlot }).read(reach);
}

// Agave's form of a memo: its length in bytes, and its text.
const memoForm = /^\[\d+\] /;

// A list of memos without any of the wanted ones is that of another payment. Where none is listed, a wallet can have left it out.
function candidatesAmong(entries: readonly HistoryEntry[], { intent }: OutcomeItem): readonly HistoryEntry[] {
  const records = intent.memos.map((memo) => memoRecordOf({ memos: [memo] }) ?? '');
  return entries.filter(({ memo }) => {
    if (memo === null || records.length === 0 || !memoForm.test(memo)) return true;
    return records.some((record) => memo.includes(record));
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
