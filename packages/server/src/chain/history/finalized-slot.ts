// A restarted local ledger begins at a lower slot, so a slot expires when the node has not shown it, or a newer one, for this long.
const memoryMs = 10_000;

/** The newest finalized slot that one node has shown. */
export class FinalizedSlot {
  readonly #now: () => number;
  #slot = 0n;
  #shownAt = Number.NEGATIVE_INFINITY;

  /** `now` is the monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The slot; 0 while none is known. */
  get slot(): bigint {
    return this.#now() - this.#shownAt < memoryMs ? this.#slot : 0n;
  }

  /** Notes a finalized slot that the node has shown. */
  note(slot: bigint): void {
    if (slot < this.slot) return;
    this.#slot = slot;
    this.#shownAt = this.#now();
  }
}
