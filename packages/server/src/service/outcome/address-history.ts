import type { Address } from 'splwright-core';
import type { HistoryEntry, HistoryPage } from '../../chain/chain-history.ts';
import { CannotTell } from './sighting.ts';

/** Reads one page of an address's history. */
export type ReadPage = (address: Address, page: HistoryPage) => Promise<readonly HistoryEntry[]>;

/** How far a history must be read. */
export interface HistoryReach {
  /** Older transactions do not matter. */
  floorSlot: bigint;
  /** Whether a page that is not full must be shown to be the last one. */
  needsProof: boolean;
}

/** Which part of a history is read. */
export interface HistoryRange {
  /** The node must have come so far; without one, not be far behind the others. */
  minContextSlot?: bigint;
  /** This signature and older ones are known. */
  until?: string | undefined;
  /** 5 unless it is given. */
  maxPages?: number;
}

const pageSize = 1_000;
const defaultMaxPages = 5;

/**
 * The transactions of one address at one node, the newest first, read page by page and only as far as needed.
 *
 * A node must not be taken at its word that there are no more: one that does not know the signature to go on from answers
 * with an empty page, and one that moves its history to another store with a short one. So each further page must begin with
 * the last transaction of the page before, and the last page must have nothing else.
 */
export class AddressHistory {
  readonly #address: Address;
  readonly #range: Pick<HistoryPage, 'minContextSlot' | 'until'>;
  readonly #maxPages: number;
  readonly #readPage: ReadPage;
  readonly #entries: HistoryEntry[] = [];
  #pages = 0;
  /** Whether the last page was not full. */
  #isShort = false;
  #isProvenWhole = false;
  /** Requests read one after another; a fault stays. */
  #reading: Promise<void> = Promise.resolve();

  constructor(address: Address, range: HistoryRange, readPage: ReadPage) {
    const { minContextSlot, until, maxPages = defaultMaxPages } = range;
    this.#address = address;
    this.#range = { ...(minContextSlot !== undefined && { minContextSlot }), ...(until !== undefined && { until }) };
    this.#maxPages = maxPages;
    this.#readPage = readPage;
  }

  /**
   * Returns the entries from the newest down to the floor, each signature once.
   *
   * `isWhole` is false when there were too many to read them all. Throws a `CannotTell` when the pages contradict one another.
   */
  async read(reach: HistoryReach): Promise<{ entries: readonly HistoryEntry[]; isWhole: boolean }> {
    this.#reading = this.#reading.then(() => this.#readDownTo(reach));
    await this.#reading;
    const unique = new Map<string, HistoryEntry>();
    for (const entry of this.#entries) if (entry.slot >= reach.floorSlot) unique.set(entry.signature, entry);
    return { entries: [...unique.values()], isWhole: this.#isRead(reach) };
  }

  async #readDownTo(reach: HistoryReach): Promise<void> {
    while (!this.#isRead(reach) && this.#pages < this.#maxPages) await this.#readNextPage();
  }

  #isRead({ floorSlot, needsProof }: HistoryReach): boolean {
    const oldest = this.#entries.at(-1);
    if (oldest && oldest.slot < floorSlot) return true;
    return needsProof ? this.#isProvenWhole : this.#isShort;
  }

  async #readNextPage(): Promise<void> {
    const [before, last] = this.#entries.slice(-2);
    const further = before && last ? { before: before.signature } : {};
    const page = await this.#readPage(this.#address, { ...this.#range, ...further, limit: pageSize });
    this.#pages += 1;
    const added = last ? page.slice(1) : page;
    if (last && page[0]?.signature !== last.signature) throw new CannotTell('history_not_available');
    for (const entry of added) {
      const newer = this.#entries.at(-1);
      if (newer && newer.slot < entry.slot) throw new CannotTell('history_not_available');
      this.#entries.push(entry);
    }
    this.#isShort = page.length < pageSize;
    // One transaction alone is not enough to go on from.
    this.#isProvenWhole = added.length === 0 || this.#entries.length === 1;
  }
}
