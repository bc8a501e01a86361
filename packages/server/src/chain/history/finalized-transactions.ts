import { LRUCache } from 'lru-cache';
import type { LandedTransaction } from '../chain-history.ts';

// Some thousands of transfers, or those of one request that asks for a hundred large transactions.
const maxBytes = 16 * 1024 * 1024;

// An entry without its bytes and its error; each token account in it; each address that it names; and each byte, once more with
// what is read of it.
const entryBytes = 2_000;
const tokenAccountBytes = 400;
const addressBytes = 200;
const timesRead = 3;

/** Transactions of one node that cannot change any more, the latest used ones, in up to 16 MiB. */
export class FinalizedTransactions {
  readonly #known = new LRUCache<string, LandedTransaction>({ maxSize: maxBytes, sizeCalculation: sizeOf });

  /** Returns the transaction with this signature when it is kept. */
  get(signature: string): LandedTransaction | undefined {
    return this.#known.get(signature);
  }

  /** Keeps a finalized transaction. */
  keep(signature: string, transaction: LandedTransaction): void {
    this.#known.set(signature, transaction);
  }
}

function sizeOf({ bytes, error, balances, content }: LandedTransaction): number {
  const ofAccounts = (balances?.size ?? 0) * tokenAccountBytes + (content?.named.size ?? 0) * addressBytes;
  return entryBytes + timesRead * bytes.length + 2 * textOf(error).length + ofAccounts;
}

// A node's integers past 2^53 are `bigint`s here, which JSON does not know.
function textOf(error: unknown): string {
  return JSON.stringify(error, (_name, member) => (typeof member === 'bigint' ? String(member) : member));
}

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
