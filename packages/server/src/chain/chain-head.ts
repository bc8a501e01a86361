import { malformed, unavailable } from './upstream-faults.ts';

/** How many slots an answer may be behind the newest one seen on any upstream. */
const maxSlotLag = 10n;

export interface ChainHeadOptions {
  /** Whether there are several upstreams, of which one may switch to another ledger. */
  hasSeveralUpstreams: boolean;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// A restarted local ledger begins at a lower slot, so the newest slot expires when no upstream has shown it for this long. Several
// upstreams that all went back are believed later; but at last they are, as one of them may have shown a slot that never was.
const memoryMs = 10_000;
const memoryOfSeveralMs = 60_000;

// No cluster that confirms blocks pauses for so long.
const standstillMs = 10_000;

// A ledger can be at most this many slots ahead of the newest slot seen, and one more for each `minSlotMs` since then.
const maxLeadSlots = 150;
const minSlotMs = 100;

/** The newest slot that any upstream has shown, with which every answer is compared. */
export class ChainHead {
  readonly #options: ChainHeadOptions;
  #newest = 0n;
  #seenAt = Number.NEGATIVE_INFINITY;
  /** When the newest slot was shown first. */
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ChainHeadOptions) {
    this.#options = options;
  }

  /** The `minContextSlot` of requests, which makes a node that is behind refuse; absent while no slot is known. */
  get minContextSlot(): { minContextSlot?: number } {
    const slot = this.#isRemembered() ? this.#newest - maxSlotLag : 0n;
    return slot > 0n ? { minContextSlot: Number(slot) } : {};
  }

  /**
   * Since when the newest slot stands still, as far as answers have shown; `undefined` while it moves.
   *
   * A cluster then confirms no blocks, as during its migration to another consensus, or the nodes hang.
   */
  get standstill(): { slot: bigint; ms: number } | undefined {
    const ms = this.#seenAt - this.#movedAt;
    return ms >= standstillMs ? { slot: this.#newest, ms } : undefined;
  }

  /** How many slots a slot is behind the newest one. */
  lagOf(slot: bigint): bigint {
    return slot < this.#newest ? this.#newest - slot : 0n;
  }

  /** Throws an `UpstreamFault` when a slot is too far behind the newest one. */
  assertRecent(slot: bigint): void {
    if (this.#isRemembered() && this.#isBehind(slot)) {
      throw unavailable('lagging', `it is ${this.lagOf(slot)} slots behind`);
    }
  }

  /** Returns whether a slot can follow on those seen so far; another one may be of another ledger. */
  canFollow(slot: bigint): boolean {
    if (this.#seenAt === Number.NEGATIVE_INFINITY) return true;
    const passed = Math.ceil((this.#options.now() - this.#seenAt) / minSlotMs);
    return !this.#isBehind(slot) && slot <= this.#newest + BigInt(maxLeadSlots + passed);
  }

  /** Notes the slot of an answer. */
  note(slot: bigint): void {
    if (slot < this.#newest && this.#isRemembered()) return;
    const now = this.#options.now();
    if (slot !== this.#newest || this.#seenAt === Number.NEGATIVE_INFINITY) this.#movedAt = now;
    this.#newest = slot;
    this.#seenAt = now;
  }

  /** Throws an `UpstreamFault` when the slot of an answer does not fit the clock in it. */
  assertClock(slot: bigint, clockSlot: bigint): void {
    const distance = slot > clockSlot ? slot - clockSlot : clockSlot - slot;
    if (!this.#options.hasSeveralUpstreams || distance <= maxLeadSlots) return;
    throw malformed(`its answer is of slot ${slot}, and the clock in it of slot ${clockSlot}`);
  }

  #isBehind(slot: bigint): boolean {
    return slot < this.#newest - maxSlotLag;
  }

  #isRemembered(): boolean {
    const { now, hasSeveralUpstreams } = this.#options;
    return now() - this.#seenAt < (hasSeveralUpstreams ? memoryOfSeveralMs : memoryMs);
  }
}
