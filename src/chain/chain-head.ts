import { malformed, unavailable } from './upstream-faults.ts';

/** What a chain head is kept by. */
export interface ChainHeadOptions {
  /** How many slots an answer may be behind the newest one seen on any upstream. */
  maximumSlotLag: number;
  /** Whether there are several upstreams, of which one may come to serve another ledger. */
  hasSeveralUpstreams: boolean;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// A local ledger that is started anew begins at a lower slot: after this long without a sight of the newest it is forgotten.
const memoryMilliseconds = 10_000;

// Slots: no ledger gets further ahead of the newest slot seen than this, and one more for each of these milliseconds since.
const plausibleLead = 150;
const shortestSlotMilliseconds = 100;

/**
 * The newest slot seen on any upstream, against which every answer is held.
 *
 * What is too far behind it is of the past, and what is far ahead of it is of another ledger.
 */
export class ChainHead {
  readonly #maximumSlotLag: bigint;
  readonly #options: ChainHeadOptions;
  #newest = 0n;
  #seenAt = Number.NEGATIVE_INFINITY;

  constructor(options: ChainHeadOptions) {
    this.#options = options;
    this.#maximumSlotLag = BigInt(options.maximumSlotLag);
  }

  /** The `minContextSlot` by which a node refuses by itself to answer from the past; absent while no slot is known. */
  get minContextSlot(): { minContextSlot?: number } {
    const slot = this.#isRemembered() ? this.#newest - this.#maximumSlotLag : 0n;
    return slot > 0n ? { minContextSlot: Number(slot) } : {};
  }

  /** How many slots a slot is behind the newest one. */
  lagOf(slot: bigint): bigint {
    return slot < this.#newest ? this.#newest - slot : 0n;
  }

  /**
   * Takes note of the slot of an answer, from an upstream that has just shown which ledger it serves if `isVouched`.
   *
   * Throws an `UpstreamFault` when it is too far behind, and one of the kind `implausible` when only another ledger explains it.
   */
  accept(slot: bigint, isVouched: boolean): void {
    const isBehind = slot < this.#newest - this.#maximumSlotLag;
    if (isBehind && this.#isRemembered()) throw unavailable('lagging', `it is ${this.lagOf(slot)} slots behind`);
    if (this.#options.hasSeveralUpstreams && !isVouched && (isBehind || this.#isTooFarAhead(slot))) {
      throw unavailable('implausible', `its slot ${slot} does not follow on the slot ${this.#newest} of the others`);
    }
    if (slot < this.#newest && this.#isRemembered()) return;
    this.#newest = slot;
    this.#seenAt = this.#options.now();
  }

  /** Throws an `UpstreamFault` when an answer says that it is of another slot than the clock in it. */
  assertClock(slot: bigint, clockSlot: bigint): void {
    const apart = slot > clockSlot ? slot - clockSlot : clockSlot - slot;
    if (!this.#options.hasSeveralUpstreams || apart <= plausibleLead) return;
    throw malformed(`its answer is of slot ${slot}, and the clock in it of slot ${clockSlot}`);
  }

  #isTooFarAhead(slot: bigint): boolean {
    if (this.#seenAt === Number.NEGATIVE_INFINITY) return false;
    const passed = (this.#options.now() - this.#seenAt) / shortestSlotMilliseconds;
    return slot > this.#newest + BigInt(plausibleLead + Math.ceil(passed));
  }

  #isRemembered(): boolean {
    return this.#options.now() - this.#seenAt < memoryMilliseconds;
  }
}
