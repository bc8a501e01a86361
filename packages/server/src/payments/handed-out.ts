import { LRUCache } from 'lru-cache';
import type { BuiltTransfer } from 'splwright-core';

/** A transaction that a payer asks for. */
export interface AskedTransaction {
  linkId: string;
  payer: string;
  amount: bigint;
  /** How many payments of this payer to this link are known. */
  paymentsBefore: number;
}

// Long enough for a second tap, and far shorter than a blockhash lives.
const keptMs = 20_000;

const maxKept = 1_000;

interface Kept {
  builtAt: number;
  built: Promise<BuiltTransfer>;
}

/** The transactions that payers were given last: one who asks again gets the same one, which is one payment. */
export class HandedOut {
  readonly #elapsed: () => number;
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept });

  /** `elapsed` is the monotonic clock in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Returns what this payer was given for the same within 20 s, otherwise what `build` resolves with. Throws what it throws. */
  async get(asked: AskedTransaction, build: () => Promise<BuiltTransfer>): Promise<BuiltTransfer> {
    const { linkId, payer, amount, paymentsBefore } = asked;
    // Whoever has paid and asks again wants to pay again.
    const key = [linkId, payer, amount, paymentsBefore].join(' ');
    const known = this.#kept.get(key);
    if (known && this.#elapsed() - known.builtAt < keptMs) return known.built;
    const kept = { builtAt: this.#elapsed(), built: build() };
    this.#kept.set(key, kept);
    try {
      return await kept.built;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }
}
