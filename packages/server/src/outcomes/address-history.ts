import type { Address } from 'splwright-core';
import { Work } from '../app/work.ts';
import type { HistoryEntry, HistoryPage } from '../chain/chain-history.ts';
import { isTooLarge } from '../chain/upstream-faults.ts';
import { CannotTell } from './node-answer.ts';

/** Reads one page of an address's history; `undefined` when no further page may be read. */
export type ReadPage = (address: Address, page: HistoryPage) => Promise<readonly HistoryEntry[] | undefined>;

/** How far a history must be read. */
export interface HistoryReach {
  /** Older transactions do not matter. */
  floorSlot: bigint;
  /** Whether a page that is not full must be shown to be the last one. */
  needsProof: boolean;
}

/** Two neighbors of a history, the newer one first: where reading it can go on. */
export type HistoryMark = readonly [newer: HistoryPlace, older: HistoryPlace];

type HistoryPlace = Pick<HistoryEntry, 'signature' | 'slot'>;

/** Which part of a history is read. */
export interface HistoryRange {
  /** The slot that the node must have reached; without one, it must not be far behind the others. */
  minContextSlot?: bigint;
  /** This signature and older ones are known. */
  until?: string | undefined;
  /** Where to begin: what is newer is not read. */
  resume?: HistoryMark | undefined;
  /** How many full pages are read, or as many entries in smaller ones; 5 unless it is given. */
  maxPages?: number;
}

/** A history to read. */
export interface AddressHistoryOptions {
  address: Address;
  range: HistoryRange;
  readPage: ReadPage;
  /** Those that keep what they want of it; by default one that keeps everything. */
  selections?: readonly Selection[];
  /** In whose turns pages are looked through. */
  work?: Work;
}

/** The part of a history that was read. */
export interface ReadEntries {
  /** The newest first, each signature once, down to the floor. */
  entries: readonly HistoryEntry[];
  /** Whether it was read down to the floor. */
  isWhole: boolean;
  /** Whether the selection had no room for all of them: there are more, and older ones. */
  isOverfull: boolean;
}

/** How many entries a full page has. */
export const pageSize = 1_000;
// A further page repeats one entry: a page of one would show nothing new.
const minPageSize = 2;
const pageSizeDivisor = 4;
const defaultMaxPages = 5;
// A hundred selections look at this many entries in about a millisecond.
const entriesPerStep = 100;

/**
 * The transactions of one address at one node, the newest first, read page by page and only as far as needed.
 *
 * Pages are not kept: each entry is offered to the selections, of which each keeps what it needs.
 *
 * A short page does not prove the end of the history: a node that does not know the signature to go on from answers
 * with an empty page, and one that moves its history to another store with a short one. So each further page must begin with
 * the last transaction of the page before, and the last page must have nothing else.
 *
 * Strangers decide how long memos are. A page that is too large is asked for again in smaller ones.
 */
export class AddressHistory {
  readonly #address: Address;
  readonly #range: Pick<HistoryPage, 'minContextSlot' | 'until'>;
  readonly #maxEntries: number;
  readonly #readPage: ReadPage;
  readonly #selections: readonly Selection[];
  readonly #work: Work;
  #oldest: HistoryPlace | undefined;
  #beforeOldest: HistoryPlace | undefined;
  #pageSize = pageSize;
  /** How many entries were asked for. */
  #asked = 0;
  /** Whether no further page may be read. */
  #isCutOff = false;
  /** Whether the last page was not full. */
  #isShort = false;
  #isProvenWhole = false;
  /** Requests read one after another; a fault stays. */
  #reading: Promise<void> = Promise.resolve();

  constructor({ address, range, readPage, selections = [new Selection()], work = new Work() }: AddressHistoryOptions) {
    const { minContextSlot, until, resume, maxPages = defaultMaxPages } = range;
    this.#address = address;
    this.#range = { ...(minContextSlot !== undefined && { minContextSlot }), ...(until !== undefined && { until }) };
    [this.#beforeOldest, this.#oldest] = resume ?? [];
    this.#maxEntries = maxPages * pageSize;
    this.#readPage = readPage;
    this.#selections = selections;
    this.#work = work;
  }

  /**
   * Reads on until the floor is reached, or the selection is overfull, and returns what the selection has: by default the first one.
   *
   * Throws a `CannotTell` when the pages contradict one another.
   */
  async read(reach: HistoryReach, selection = this.#selections[0] ?? new Selection()): Promise<ReadEntries> {
    this.#reading = this.#reading.then(() => this.#readDownTo(reach, selection));
    await this.#reading;
    const { floorSlot } = reach;
    return {
      entries: selection.since(floorSlot),
      isWhole: this.#isRead(reach),
      isOverfull: selection.isOverfull(floorSlot),
    };
  }

  async #readDownTo(reach: HistoryReach, selection: Selection): Promise<void> {
    while (!this.#isRead(reach) && !selection.isOverfull(reach.floorSlot)) {
      if (this.#isCutOff || this.#asked >= this.#maxEntries) return;
      await this.#readNextPage();
    }
  }

  #isRead({ floorSlot, needsProof }: HistoryReach): boolean {
    if (this.#oldest && this.#oldest.slot < floorSlot) return true;
    return needsProof ? this.#isProvenWhole : this.#isShort;
  }

  async #readNextPage(): Promise<void> {
    const [before, last] = [this.#beforeOldest, this.#oldest];
    const further = before && last ? { before: before.signature } : {};
    const page = await this.#readFittingPage(further);
    if (!page) {
      this.#isCutOff = true;
      return;
    }
    this.#asked += this.#pageSize;
    const added = last ? page.slice(1) : page;
    if (last && page[0]?.signature !== last.signature) throw new CannotTell('history_not_available');
    for (let start = 0; start < added.length; start += entriesPerStep) {
      await this.#work.step(() => this.#take(added.slice(start, start + entriesPerStep)));
    }
    this.#isShort = page.length < this.#pageSize;
    // One transaction alone is not enough to go on from.
    this.#isProvenWhole = added.length === 0 || (!last && added.length === 1);
  }

  async #readFittingPage(further: Pick<HistoryPage, 'before'>): Promise<readonly HistoryEntry[] | undefined> {
    for (;;) {
      try {
        return await this.#readPage(this.#address, { ...this.#range, ...further, limit: this.#pageSize });
      } catch (error) {
        if (!isTooLarge(error) || this.#pageSize === minPageSize) throw error;
        this.#pageSize = Math.max(minPageSize, Math.floor(this.#pageSize / pageSizeDivisor));
      }
    }
  }

  #take(added: readonly HistoryEntry[]): void {
    for (const entry of added) {
      if (this.#oldest && this.#oldest.slot < entry.slot) throw new CannotTell('history_not_available');
      this.#beforeOldest = this.#oldest;
      this.#oldest = entry;
      for (const selection of this.#selections) selection.offer(entry);
    }
  }
}

/** Which entries of a history are kept; all of them by default. */
export interface SelectionOptions {
  isWanted?: (entry: HistoryEntry) => boolean;
  /** How many are kept: the newest. */
  maxEntries?: number;
}

/** The entries that one reader keeps of a history that is offered to it, the newest first. */
export class Selection {
  readonly #isWanted: (entry: HistoryEntry) => boolean;
  readonly #maxEntries: number;
  /** By signature: a node may list one twice. */
  readonly #kept = new Map<string, HistoryEntry>();
  /** The slot of the newest entry that did not fit. */
  #missedSlot: bigint | undefined;

  constructor({ isWanted = () => true, maxEntries = Number.POSITIVE_INFINITY }: SelectionOptions = {}) {
    this.#isWanted = isWanted;
    this.#maxEntries = maxEntries;
  }

  /** Keeps an entry that is wanted, if there is room. */
  offer(entry: HistoryEntry): void {
    if (!this.#isWanted(entry)) return;
    if (this.#kept.size < this.#maxEntries || this.#kept.has(entry.signature)) this.#kept.set(entry.signature, entry);
    else this.#missedSlot ??= entry.slot;
  }

  /** Whether a wanted entry of this slot or a later one did not fit. */
  isOverfull(floorSlot: bigint): boolean {
    return this.#missedSlot !== undefined && this.#missedSlot >= floorSlot;
  }

  /** Returns what was kept of this slot and later ones, the newest first. */
  since(floorSlot: bigint): readonly HistoryEntry[] {
    return [...this.#kept.values()].filter(({ slot }) => slot >= floorSlot);
  }
}
