import { unavailable } from './upstream-faults.ts';

/** What a chain head is kept by. */
export interface ChainHeadOptions {
  /** How many slots an answer may be behind the newest one seen on any upstream. */
  maximumSlotLag: number;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// A local ledger that is started anew begins at a lower slot: after this long without a sight of the newest it is forgotten.
const memoryMilliseconds = 10_000;

/** The newest slot seen on any upstream, against which every answer is held: what is too far behind it is not believed. */
export class ChainHead {
  readonly #maximumSlotLag: bigint;
  readonly #now: () => number;
  #newest = 0n;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(options: ChainHeadOptions) {
    this.#maximumSlotLag = BigInt(options.maximumSlotLag);
    this.#now = options.now;
  }

  /** The `minContextSlot` by which a node refuses by itself to answer from the past; absent while no slot is known. */
  get minContextSlot(): { minContextSlot?: number } {
    const slot = this.#oldestBelieved();
    return slot > 0n ? { minContextSlot: Number(slot) } : {};
  }

  /** How many slots a slot is behind the newest one. */
  lagOf(slot: bigint): bigint {
    return slot < this.#newest ? this.#newest - slot : 0n;
  }

  /** Takes note of the slot of an answer. Throws an `UpstreamFault` when it is too far behind. */
  accept(slot: bigint): void {
    if (slot < this.#oldestBelieved()) {
      throw unavailable('lagging', `it is ${this.lagOf(slot)} slots behind`);
    }
    if (slot < this.#newest && this.#isRemembered()) return;
    this.#newest = slot;
    this.#seenAt = this.#now();
  }

  #oldestBelieved(): bigint {
    return this.#isRemembered() ? this.#newest - this.#maximumSlotLag : 0n;
  }

  #isRemembered(): boolean {
    return this.#now() - this.#seenAt < memoryMilliseconds;
  }
}
