import { type Address, memoRecordOf } from 'splwright-core';
import type { HistoryEntry } from '../chain/chain-history.ts';
import type { OutcomeItem } from './verdict.ts';

/** What one item looks for in the history of an address. */
export interface WantedEntries {
  item: OutcomeItem;
  isWanted: (entry: HistoryEntry) => boolean;
}

/** What a view of a node is for, and how much may be read for it. */
export interface ViewScope {
  /** Those whose statuses are read in one call. */
  signatures: readonly string[];
  /** How many transactions may be looked at for one item, or link. */
  maxCandidates: number;
  /** How many transactions may be looked at for all items together; any number by default. */
  maxTransactions?: number;
  /** How many pages of all histories may be read; any number by default. */
  maxPages?: number;
  /** By address. */
  wanted?: ReadonlyMap<Address, readonly WantedEntries[]>;
}

// A single item may read five pages of each of its three addresses, and look at this many transactions.
const basePages = 12;
const pagesPerItem = 3;
const baseCandidates = 50;

// The transfers of a batch from one sender share a history: a transaction is read once, and compared with each.
const furtherCandidatesPerItem = 2;
const furtherTransactionsPerItem = 5;

/** What the items of one request need of a node, and what they may read of it. */
export function scopeOf(items: readonly OutcomeItem[]): ViewScope {
  const further = items.length - 1;
  const wanted = new Map<Address, WantedEntries[]>();
  for (const item of new Set(items)) {
    const isWanted = filterOf(item);
    const { reference, tokenAccounts } = addressesToSearch(item);
    for (const address of new Set(reference === undefined ? tokenAccounts : [reference, ...tokenAccounts])) {
      const known = wanted.get(address) ?? [];
      wanted.set(address, known);
      known.push({ item, isWanted });
    }
  }
  return {
    signatures: items.flatMap(({ intent }) => intent.signature ?? []),
    maxCandidates: baseCandidates + furtherCandidatesPerItem * further,
    maxTransactions: baseCandidates + furtherTransactionsPerItem * further,
    maxPages: basePages + pagesPerItem * items.length,
    wanted,
  };
}

/** The addresses in whose histories an item is looked for. */
export function addressesToSearch({ intent: { payments, source } }: OutcomeItem): {
  /** Used by this payment alone. */
  reference: Address | undefined;
  tokenAccounts: readonly Address[];
} {
  // The last payment is the main one: those before it are splits.
  const reference = payments.findLast(({ references }) => references.length > 0)?.references[0];
  const destination = payments.at(-1)?.destination;
  return { reference, tokenAccounts: destination === undefined ? [source] : [source, destination] };
}

// Agave's form of a memo: its length in bytes, and its text.
const memoForm = /^\[\d+\] /;

// A list of memos without any of the wanted ones is that of another payment. Where none is listed, a wallet can have left it out.
function filterOf({ intent: { signature, memos } }: OutcomeItem): WantedEntries['isWanted'] {
  if (signature !== undefined) return (entry) => entry.signature === signature;
  const records = memos.map((memo) => memoRecordOf({ memos: [memo] }) ?? '');
  return ({ memo }) => {
    if (memo === null || records.length === 0 || !memoForm.test(memo)) return true;
    return records.some((record) => memo.includes(record));
  };
}
