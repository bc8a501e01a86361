import { LRUCache } from 'lru-cache';
import type { LandedTransaction } from '../chain-history.ts';

// Some thousands of transfers.
const maxBytes = 4 * 1024 * 1024;

// An entry without its bytes and its error, and each token account in it.
const entryBytes = 500;
const tokenAccountBytes = 300;

/** Transactions of one node that cannot change any more, the latest used ones, in up to 4 MiB. */
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

function sizeOf({ bytes, error, tokenChanges }: LandedTransaction): number {
  return entryBytes + bytes.length + 2 * textOf(error).length + tokenChanges.size * tokenAccountBytes;
}

// A node's integers past 2^53 are `bigint`s here, which JSON does not know.
function textOf(error: unknown): string {
  return JSON.stringify(error, (_name, member) => (typeof member === 'bigint' ? String(member) : member));
}
