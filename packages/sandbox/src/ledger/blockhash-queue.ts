import { createHash, randomBytes } from 'node:crypto';
import { type Blockhash, blockhash, getBase58Decoder } from '@solana/kit';

/** A slot's blockhash and the time it lives for. */
export interface RecentBlockhash {
  blockhash: Blockhash;
  slot: bigint;
  blockHeight: bigint;
  /** The last block height at which a transaction with this blockhash is accepted. */
  lastValidBlockHeight: bigint;
}

/** Blocks after its own for which a blockhash is accepted (`MAX_PROCESSING_AGE` of the validator). */
const blockhashLifetimeInBlocks = 150n;

/** Blockhashes kept, dead ones included (`MAX_RECENT_BLOCKHASHES` of the validator). */
const maxBlockhashes = 300;

/** The newest 300 blockhashes, one for each slot, without gaps. */
export class BlockhashQueue {
  readonly #entries: RecentBlockhash[] = [];
  readonly #byBlockhash = new Map<string, RecentBlockhash>();
  /** Random at first, so that no transaction of an earlier start is valid in this one. */
  #hash: Buffer = randomBytes(32);

  /** Adds the next slot's blockhash and gives back the one that was dropped for it, if any. */
  push(slot: bigint, blockHeight: bigint): RecentBlockhash | undefined {
    this.#hash = createHash('sha256').update(this.#hash).digest();
    const entry = {
      blockhash: blockhash(getBase58Decoder().decode(this.#hash)),
      slot,
      blockHeight,
      lastValidBlockHeight: blockHeight + blockhashLifetimeInBlocks,
    };
    this.#entries.push(entry);
    this.#byBlockhash.set(entry.blockhash, entry);
    if (this.#entries.length <= maxBlockhashes) return undefined;
    const dropped = this.#entries.shift();
    if (dropped !== undefined) this.#byBlockhash.delete(dropped.blockhash);
    return dropped;
  }

  /** Returns a slot's entry; throws when the slot is older than the kept ones or still to come. */
  at(slot: bigint): RecentBlockhash {
    const oldest = this.#entries[0];
    const entry = oldest === undefined ? undefined : this.#entries[Number(slot - oldest.slot)];
    if (entry === undefined) throw new Error(`no blockhash is kept for slot ${slot}`);
    return entry;
  }

  /** Returns whether the block of `tip` accepts a transaction with this blockhash. */
  isValid(candidate: string, tip: RecentBlockhash): boolean {
    const entry = this.#byBlockhash.get(candidate);
    return entry !== undefined && entry.slot <= tip.slot && tip.blockHeight <= entry.lastValidBlockHeight;
  }

  /** The kept slots and their blockhashes, newest first. */
  newestFirst(): readonly RecentBlockhash[] {
    return this.#entries.toReversed();
  }
}
