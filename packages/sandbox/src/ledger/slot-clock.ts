import { Clock, type LiteSVM } from 'litesvm';
import { BlockhashQueue, type RecentBlockhash } from './blockhash-queue.ts';

/** How sure the cluster is of what is asked for. `processed` and `confirmed` are the newest slot here. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Slots that the newest one must be ahead for a slot to be final (`MAX_LOCKOUT_HISTORY` and one). */
export const slotsToFinalize = 32n;

/** Slots in an epoch of mainnet. */
export const slotsPerEpoch = 432_000n;

/** Blocks are fewer than slots on a real cluster, where some slots are skipped: never take one for the other. */
const skippedSlots = 21_000_000n;

/** Slots that pass before the first one is told, so that some are final from the start. */
const slotsBeforeStart = 40n;

/** The passing of slots: their blockhashes, block heights and times, kept in step with the virtual machine's sysvars. */
export class SlotClock {
  readonly #machine: LiteSVM;
  readonly #blockhashes = new BlockhashQueue();
  readonly #firstSlot: bigint;
  readonly #firstSlotMs: bigint;
  readonly #slotMs: bigint;
  #slot: bigint;

  constructor(machine: LiteSVM, slotMs: number) {
    this.#machine = machine;
    this.#slotMs = BigInt(slotMs);
    // The machine's programs are deployed in its first slot: an earlier one would not see them.
    this.#firstSlot = machine.getClock().slot;
    this.#slot = this.#firstSlot - 1n;
    // The slots that pass at once, here and to make a seeded world final, are in the past.
    const slotsAtOnce = slotsBeforeStart + slotsToFinalize;
    this.#firstSlotMs = BigInt(Date.now()) - slotsAtOnce * this.#slotMs;
    this.advance(Number(slotsBeforeStart));
  }

  /** The newest slot that is sure enough. */
  slot(commitment: Commitment): bigint {
    return commitment === 'finalized' ? this.#slot - slotsToFinalize : this.#slot;
  }

  /** The newest blockhash that is sure enough. */
  latestBlockhash(commitment: Commitment): RecentBlockhash {
    return this.#blockhashes.at(this.slot(commitment));
  }

  /** Says whether a transaction with this blockhash would be accepted by the newest block that is sure enough. */
  isBlockhashValid(blockhash: string, commitment: Commitment): boolean {
    return this.#blockhashes.isValid(blockhash, this.latestBlockhash(commitment));
  }

  /** Seconds since 1970 at a slot's beginning: slots are of equal length, also when they are advanced by hand. */
  blockTime(slot: bigint): bigint {
    return (this.#firstSlotMs + (slot - this.#firstSlot) * this.#slotMs) / 1000n;
  }

  /** Lets slots pass and gives the blockhashes that are forgotten for it. */
  advance(count: number): RecentBlockhash[] {
    const forgotten: RecentBlockhash[] = [];
    for (let passed = 0; passed < count; passed += 1) {
      this.#slot += 1n;
      const dropped = this.#blockhashes.push(this.#slot, this.#slot - skippedSlots);
      if (dropped !== undefined) forgotten.push(dropped);
    }
    const epoch = this.#slot / slotsPerEpoch;
    const epochStart = this.blockTime(epoch * slotsPerEpoch);
    this.#machine.setClock(new Clock(this.#slot, epochStart, epoch, epoch + 1n, this.blockTime(this.#slot)));
    const slotHashes = this.#blockhashes.newestFirst().map(({ slot, blockhash }) => ({ slot, hash: blockhash }));
    this.#machine.setSlotHashes(slotHashes);
    return forgotten;
  }
}
