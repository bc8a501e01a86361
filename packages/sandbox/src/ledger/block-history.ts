import type { RecentBlockhash } from './blockhash-queue.ts';
import type { TransactionRecord } from './transaction-history.ts';

/** A slot's block, with what landed in it. */
export interface Block {
  slot: bigint;
  blockHeight: bigint;
  blockhash: string;
  /** The blockhash of the slot before; the block's own for the first one. */
  previousBlockhash: string;
  /** In their order. */
  transactions: readonly TransactionRecord[];
}

/** The newest blocks, one for each slot, without gaps. */
export class BlockHistory {
  readonly #capacity: number;
  readonly #blocks = new Map<bigint, Omit<Block, 'transactions'>>();
  readonly #transactions = new Map<bigint, TransactionRecord[]>();
  #firstCompleteSlot = 0n;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds the next slot's block, and forgets the oldest past the capacity. */
  add({ slot, blockHeight, blockhash }: RecentBlockhash): void {
    const previousBlockhash = this.#blocks.get(slot - 1n)?.blockhash ?? blockhash;
    this.#blocks.set(slot, { slot, blockHeight, blockhash, previousBlockhash });
    if (this.#blocks.size <= this.#capacity) return;
    const oldest = this.firstSlot;
    this.#blocks.delete(oldest);
    this.#transactions.delete(oldest);
    this.#firstCompleteSlot = oldest + 1n;
  }

  /** The oldest slot that is kept. */
  get firstSlot(): bigint {
    return this.#blocks.keys().next().value ?? 0n;
  }

  /** The slot from which on nothing is forgotten: 0 while that is true of every block. */
  get firstCompleteSlot(): bigint {
    return this.#firstCompleteSlot;
  }

  /** Returns how many transactions a slot's block has. */
  transactionCountOf(slot: bigint): number {
    return this.#transactions.get(slot)?.length ?? 0;
  }

  /** Adds a transaction to its slot's block. */
  addTransaction(record: TransactionRecord): void {
    const transactions = this.#transactions.get(record.slot);
    if (transactions === undefined) this.#transactions.set(record.slot, [record]);
    else transactions.push(record);
  }

  /** Returns a slot's block; undefined when it is forgotten or still to come. */
  get(slot: bigint): Block | undefined {
    const block = this.#blocks.get(slot);
    return block === undefined ? undefined : { ...block, transactions: this.#transactions.get(slot) ?? [] };
  }
}
