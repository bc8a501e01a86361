import { type Address, memoRecordOf } from 'splwright-core';
import { Places } from '../app/places.ts';
import type { Work } from '../app/work.ts';
import type {
  FinalizedHeight,
  HistoryEntry,
  LandedTransaction,
  NodeHistory,
  NonceAtSlot,
  SignatureStatus,
} from '../chain/chain-history.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { tooSlow } from '../chain/upstream-faults.ts';
import {
  AddressHistory,
  type HistoryRange,
  type HistoryReach,
  pageSize,
  type ReadEntries,
  Selection,
} from './address-history.ts';
import { CannotTell } from './node-answer.ts';
import type { OutcomeItem } from './verdict.ts';

/** A history that items search, and what each of them has of it. */
interface SearchedHistory {
  history: AddressHistory;
  selections: ReadonlyMap<OutcomeItem, Selection>;
}

/** How many statuses a node reads in one call. */
const maxStatuses = 256;

/**
 * One node as one request sees it: whatever several of its transactions need is asked once.
 *
 * Every method throws the `UpstreamFault` of the node, and what `Work.assertWanted` throws.
 */
export class NodeView {
  readonly #node: NodeHistory;
  readonly #scope: ViewScope;
  readonly #calls: NodeCalls;
  readonly #signatures: readonly string[];
  readonly #answers = new Map<string, Promise<unknown>>();
  readonly #histories = new Map<string, AddressHistory>();
  readonly #searched = new Map<string, SearchedHistory>();
  #pages = 0;
  #transactions = 0;
  /** In whose turns all of it is done. */
  readonly work: Work;

  constructor(node: NodeHistory, scope: ViewScope, work: Work) {
    this.#node = node;
    this.#scope = scope;
    this.#calls = new NodeCalls(work);
    this.#signatures = [...new Set(scope.signatures)];
    this.work = work;
  }

  /** How many transactions may be looked at for one item, or link. */
  get maxCandidates(): number {
    return this.#scope.maxCandidates;
  }

  /** How many full pages of histories were asked for; a smaller one is as much of one as its size. */
  get pages(): number {
    return this.#pages;
  }

  /** The newest finalized slot and its block height. */
  height(): Promise<FinalizedHeight> {
    return this.#once('height', (deadline) => this.#node.readFinalizedHeight(deadline));
  }

  /** The lowest slot of which the node still has the transactions. */
  firstAvailableSlot(): Promise<bigint> {
    return this.#once('first', (deadline) => this.#node.readFirstAvailableSlot(deadline));
  }

  /** The status of one of the signatures, and the slot that the node had reached then. */
  async status(signature: string): Promise<{ slot: bigint; status: SignatureStatus | null }> {
    const index = this.#signatures.indexOf(signature);
    const start = index - (index % maxStatuses);
    const together = this.#signatures.slice(start, start + maxStatuses);
    const read = (deadline: Deadline) => this.#node.readStatuses(together, deadline);
    const { slot, statuses } = await this.#once(`statuses ${start}`, read);
    return { slot, status: statuses[index - start] ?? null };
  }

  /** A confirmed transaction. Throws a `CannotTell` when too many have been looked at; those that are asked for do not count. */
  transaction(signature: string): Promise<LandedTransaction | null> {
    const key = `transaction ${signature}`;
    if (!this.#answers.has(key) && !this.#signatures.includes(signature)) {
      const { maxTransactions = Number.POSITIVE_INFINITY } = this.#scope;
      if (this.#transactions >= maxTransactions) return Promise.reject(new CannotTell('too_many_transactions'));
      this.#transactions += 1;
    }
    return this.#once(key, (deadline) => this.#node.readTransaction(signature, deadline));
  }

  /** The height of the block of a slot. */
  blockHeight(slot: bigint): Promise<bigint | null> {
    return this.#once(`block ${slot}`, (deadline) => this.#node.readBlockHeight(slot, deadline));
  }

  /** Whether the node still accepts a blockhash. */
  isBlockhashAlive(blockhash: string): Promise<boolean> {
    return this.#once(`blockhash ${blockhash}`, (deadline) => this.#node.isBlockhashAlive(blockhash, deadline));
  }

  /** The nonce in an account. */
  nonce(account: Address): Promise<NonceAtSlot> {
    return this.#once(`nonce ${account}`, (deadline) => this.#node.readNonce(account, deadline));
  }

  /** The transactions of an address within a range: the newest `maxEntries`, all of them by default. */
  history(address: Address, range: HistoryRange, maxEntries?: number): AddressHistory {
    const key = `${address} ${range.minContextSlot} ${range.until} ${maxEntries}`;
    const selections = [new Selection(maxEntries === undefined ? {} : { maxEntries })];
    const history = this.#histories.get(key) ?? this.#newHistory(address, range, selections);
    this.#histories.set(key, history);
    return history;
  }

  /** Whether several items are looked for in the history of an address. */
  isShared(address: Address): boolean {
    return (this.#scope.wanted?.get(address)?.length ?? 0) > 1;
  }

  /** Gives an item its entries of the history of one of its addresses, which is read once for all items. */
  search(
    item: OutcomeItem,
    address: Address,
    { minContextSlot, ...reach }: HistoryReach & { minContextSlot: bigint },
  ): Promise<ReadEntries> {
    const key = `${address} ${minContextSlot}`;
    const searched = this.#searched.get(key) ?? this.#newSearch(address, minContextSlot);
    this.#searched.set(key, searched);
    return searched.history.read(reach, searched.selections.get(item));
  }

  #newSearch(address: Address, minContextSlot: bigint): SearchedHistory {
    const wanted = this.#scope.wanted?.get(address) ?? [];
    const { maxCandidates: maxEntries } = this.#scope;
    const selections = new Map(wanted.map(({ item, isWanted }) => [item, new Selection({ isWanted, maxEntries })]));
    return { history: this.#newHistory(address, { minContextSlot }, [...selections.values()]), selections };
  }

  #newHistory(address: Address, range: HistoryRange, selections: readonly Selection[]): AddressHistory {
    const { maxPages = Number.POSITIVE_INFINITY } = this.#scope;
    return new AddressHistory({
      address,
      range,
      selections,
      work: this.work,
      readPage: async (of, page) => {
        if (this.#pages >= maxPages) return undefined;
        this.#pages += (page.limit ?? pageSize) / pageSize;
        return this.#calls.run('pages', (deadline) => this.#node.readSignatures(of, page, deadline));
      },
    });
  }

  #once<T>(key: string, read: (deadline: Deadline) => Promise<T>): Promise<T> {
    // The key says which method was asked, and so of which type the answer is.
    const known = this.#answers.get(key) as Promise<T> | undefined;
    if (known) return known;
    const answer = this.#calls.run('calls', read);
    this.#answers.set(key, answer);
    return answer;
  }
}

// How many calls one request makes to a node at a time. A page can have 4 MiB, and takes some milliseconds to be read.
const maxCalls = { calls: 8, pages: 4 } as const;

/** The calls of one request to the history of a node, some at a time. */
class NodeCalls {
  readonly #work: Work;
  readonly #places = { calls: new Places(maxCalls.calls), pages: new Places(maxCalls.pages) };

  constructor(work: Work) {
    this.#work = work;
  }

  /** Makes a call when it is its turn. Throws what the call throws, and what `Work.assertWanted` throws; an `UpstreamFault` at the deadline. */
  run<T>(kind: keyof typeof maxCalls, call: (deadline: Deadline) => Promise<T>): Promise<T> {
    const { deadline } = this.#work;
    return this.#places[kind].run('', this.#work, tooSlow, async () => {
      if (performance.now() >= deadline) throw tooSlow();
      this.#work.assertWanted();
      return call(deadline);
    });
  }
}

/** The entries that one item looks for in the history of an address. */
export interface WantedEntries {
  item: OutcomeItem;
  isWanted: (entry: HistoryEntry) => boolean;
}

/** The purpose of a view of a node, and how much may be read for it. */
export interface ViewScope {
  /** Those whose statuses are read, as many in one call as a node takes. */
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

/** Returns the needs of one request's items, and how much may be read for them. */
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
  const records = memos.map(memoRecordOf);
  return ({ memo }) => {
    if (memo === null || records.length === 0 || !memoForm.test(memo)) return true;
    return records.some((record) => memo.includes(record));
  };
}
