import { address, type EncodedAccount, lamports } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { Clock, type LiteSVM } from 'litesvm';
import { BlockhashQueue, type RecentBlockhash } from './blockhash-queue.ts';

/** How certain a slot is. `processed` and `confirmed` are the newest slot here. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** A slot is final when the newest one is this far ahead: 0 with Alpenglow, 32 with TowerBFT (`MAX_LOCKOUT_HISTORY` and one). */
export type SlotsToFinalize = 0 | 32;

/** The account by which a cluster tells that it has migrated to Alpenglow (agave `votor`, seed `carlgration`): it is not empty. */
export const alpenglowCertificate: EncodedAccount = {
  address: address('42Ym56TQ7AKFThRv5nyoSABq5ZPgE2TLKo8BALZEtoU1'),
  lamports: lamports(1n),
  data: Uint8Array.of(1),
  space: 1n,
  executable: false,
  programAddress: SYSTEM_PROGRAM_ADDRESS,
};

/** Slots in an epoch of mainnet. */
export const slotsPerEpoch = 432_000n;

/** Blocks are fewer than slots on a real cluster, where some slots are skipped: never take one for the other. */
const skippedSlots = 21_000_000n;

/** Slots that pass before the ledger is used, so that some are final from the start. */
const slotsBeforeStart = 40n;

/** The passing of slots: their blockhashes, block heights and times, kept in step with the virtual machine's sysvars. */
export class SlotClock {
  readonly #machine: LiteSVM;
  readonly #blockhashes = new BlockhashQueue();
  readonly #firstSlot: bigint;
  readonly #firstSlotMs: bigint;
  readonly #slotMs: bigint;
  readonly slotsToFinalize: SlotsToFinalize;
  #slot: bigint;

  /** The blockhashes of the slots that pass at once, so that some are final from the start. */
  readonly firstBlockhashes: readonly RecentBlockhash[];

  constructor(machine: LiteSVM, slotMs: number, slotsToFinalize: SlotsToFinalize) {
    this.#machine = machine;
    this.#slotMs = BigInt(slotMs);
    this.slotsToFinalize = slotsToFinalize;
    // The machine's programs are deployed in its first slot: an earlier one would not see them.
    this.#firstSlot = machine.getClock().slot;
    this.#slot = this.#firstSlot - 1n;
    // The slots that pass at once, here and to make a seeded world final, are in the past.
    const slotsAtOnce = slotsBeforeStart + BigInt(slotsToFinalize);
    this.#firstSlotMs = BigInt(Date.now()) - slotsAtOnce * this.#slotMs;
    this.firstBlockhashes = this.advance(Number(slotsBeforeStart)).begun;
  }

  /** The newest slot at this commitment. */
  slot(commitment: Commitment): bigint {
    return commitment === 'finalized' ? this.#slot - BigInt(this.slotsToFinalize) : this.#slot;
  }

  /** The newest blockhash at this commitment. */
  latestBlockhash(commitment: Commitment): RecentBlockhash {
    return this.#blockhashes.at(this.slot(commitment));
  }

  /** Returns whether the newest block at this commitment would accept a transaction with this blockhash. */
  isBlockhashValid(blockhash: string, commitment: Commitment): boolean {
    return this.#blockhashes.isValid(blockhash, this.latestBlockhash(commitment));
  }

  /** Seconds since 1970 at a slot's beginning: slots are of equal length, also when they are advanced by hand. */
  blockTime(slot: bigint): bigint {
    return (this.#firstSlotMs + (slot - this.#firstSlot) * this.#slotMs) / 1000n;
  }

  /** Lets slots pass; returns their blockhashes, and those that are forgotten because of them. */
  advance(count: number): { begun: RecentBlockhash[]; forgotten: RecentBlockhash[] } {
    const begun: RecentBlockhash[] = [];
    const forgotten: RecentBlockhash[] = [];
    for (let passed = 0; passed < count; passed += 1) {
      this.#slot += 1n;
      const dropped = this.#blockhashes.push(this.#slot, this.#slot - skippedSlots);
      begun.push(this.#blockhashes.at(this.#slot));
      if (dropped !== undefined) forgotten.push(dropped);
    }
    const epoch = this.#slot / slotsPerEpoch;
    const epochStart = this.blockTime(epoch * slotsPerEpoch);
    this.#machine.setClock(new Clock(this.#slot, epochStart, epoch, epoch + 1n, this.blockTime(this.#slot)));
    const slotHashes = this.#blockhashes.newestFirst().map(({ slot, blockhash }) => ({ slot, hash: blockhash }));
    this.#machine.setSlotHashes(slotHashes);
    return { begun, forgotten };
  }
}
