import type { HistoryEntry } from '../chain/chain-history.ts';

/** Which entries of a history are kept; all of them by default. */
export interface SelectionOptions {
  isWanted?: (entry: HistoryEntry) => boolean;
  /** The newest so many are kept. */
  maxEntries?: number;
}

/** What one reader keeps of a history that is offered to it, the newest entry first. */
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
