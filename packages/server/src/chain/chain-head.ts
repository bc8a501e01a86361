import { malformed, unavailable } from './upstream-faults.ts';

/** The bounds by which slots are accepted. */
export interface ChainHeadOptions {
  /** How many slots an answer may be behind the newest one seen on any upstream. */
  maxSlotLag: number;
  /** How many upstreams must have shown a slot for it to count: 1 unless several must agree. */
  quorum?: number;
  /** Whether there are several upstreams, of which one may switch to another ledger. */
  hasSeveralUpstreams: boolean;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// A restarted local ledger begins at a lower slot, so the newest slot expires when no upstream has shown it for this long.
const memoryMs = 10_000;

// No cluster that confirms blocks pauses for so long.
const standstillMs = 10_000;

// A ledger can be at most this many slots ahead of the newest slot seen, and one more for each `minSlotMs` since then.
const maxLeadSlots = 150;
const minSlotMs = 100;

interface Shown {
  slot: bigint;
  seenAt: number;
}

/**
 * The newest slot that enough upstreams have shown, with which every answer is compared.
 *
 * An answer too far behind it is outdated, and one far ahead of it is from another ledger. Where several upstreams must agree,
 * one alone cannot move it.
 */
export class ChainHead {
  readonly #maxSlotLag: bigint;
  readonly #options: ChainHeadOptions;
  readonly #quorum: number;
  /** The newest slot of each upstream. */
  readonly #shown = new Map<string, Shown>();
  #newest = 0n;
  #seenAt = Number.NEGATIVE_INFINITY;
  /** When the newest slot was shown first. */
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ChainHeadOptions) {
    this.#options = options;
    this.#quorum = options.quorum ?? 1;
    this.#maxSlotLag = BigInt(options.maxSlotLag);
  }

  /** The `minContextSlot` of requests, which makes a node that is behind refuse; absent while no slot is known. */
  get minContextSlot(): { minContextSlot?: number } {
    const slot = this.#isRemembered() ? this.#newest - this.#maxSlotLag : 0n;
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

  /**
   * Records the slot of an upstream's answer. With `isVouched`, the upstream has just shown which ledger it serves.
   *
   * Throws an `UpstreamFault` when the slot is too far behind, and one of the kind `implausible` when only another ledger
   * explains it.
   */
  accept(slot: bigint, isVouched: boolean, upstream: string): void {
    const isBehind = slot < this.#newest - this.#maxSlotLag;
    if (isBehind && this.#isRemembered()) throw unavailable('lagging', `it is ${this.lagOf(slot)} slots behind`);
    if (this.#options.hasSeveralUpstreams && !isVouched && (isBehind || this.#isTooFarAhead(slot))) {
      throw unavailable('implausible', `its slot ${slot} does not follow on the slot ${this.#newest} of the others`);
    }
    if (this.#quorum === 1) {
      if (slot < this.#newest && this.#isRemembered()) return;
      this.#show(slot, this.#options.now());
    } else this.#note(upstream, slot);
  }

  // The newest slot is then the lowest that the `quorum` most advanced upstreams have shown.
  #note(upstream: string, slot: bigint): void {
    const now = this.#options.now();
    const isOver = ({ seenAt }: Shown): boolean => now - seenAt >= memoryMs;
    for (const [name, shown] of this.#shown) if (isOver(shown)) this.#shown.delete(name);
    const known = this.#shown.get(upstream);
    if (!known || slot >= known.slot) this.#shown.set(upstream, { slot, seenAt: now });
    const enough = [...this.#shown.values()].sort((a, b) => Number(b.slot - a.slot))[this.#quorum - 1];
    if (!enough || (enough.slot < this.#newest && this.#isRemembered())) return;
    this.#show(enough.slot, enough.seenAt);
  }

  #show(slot: bigint, at: number): void {
    if (slot !== this.#newest || this.#seenAt === Number.NEGATIVE_INFINITY) this.#movedAt = at;
    this.#newest = slot;
    this.#seenAt = at;
  }

  /** Throws an `UpstreamFault` when the slot of an answer does not fit the clock in it. */
  assertClock(slot: bigint, clockSlot: bigint): void {
    const distance = slot > clockSlot ? slot - clockSlot : clockSlot - slot;
    if (!this.#options.hasSeveralUpstreams || distance <= maxLeadSlots) return;
    throw malformed(`its answer is of slot ${slot}, and the clock in it of slot ${clockSlot}`);
  }

  #isTooFarAhead(slot: bigint): boolean {
    if (this.#seenAt === Number.NEGATIVE_INFINITY) return false;
    const passed = (this.#options.now() - this.#seenAt) / minSlotMs;
    return slot > this.#newest + BigInt(maxLeadSlots + Math.ceil(passed));
  }

  #isRemembered(): boolean {
    return this.#options.now() - this.#seenAt < memoryMs;
  }
}
