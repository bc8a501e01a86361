import { encodeBase58 } from 'splwright-core';
import { type Address, toAddress } from '../../../core/src/addresses/address.ts';
import type { HistoryEntry, HistoryPage, LandedTransaction, NodeHistory } from '../../src/chain/chain-history.ts';
import type { OutcomeItem } from '../../src/outcomes/verdict.ts';
import { intent, landedTransaction } from './sample-match.ts';

const finalizedSlot = 100_000n;
const pageSize = 1_000;

/** An address of its own for each number. */
export function addressNumber(number: number): Address {
  const bytes = new Uint8Array(32).fill(9);
  new DataView(bytes.buffer).setUint32(0, number);
  return toAddress(encodeBase58(bytes));
}

/** An unsigned transfer from an account to one of its own, which can have landed in the newest blocks. */
export function itemFrom(source: Address, destination: Address): OutcomeItem {
  const payments = intent.payments.map((payment) => ({ ...payment, destination }));
  return { intent: { ...intent, memos: [], source, payments }, lastValidBlockHeight: 90_100n };
}

/** A node whose addresses were all used so many times in one slot, by transactions of which each is read as `landed`. */
export class BusyNode implements NodeHistory {
  readonly name = 'upstream_1';
  /** The addresses whose pages, and the signatures whose transactions were read, in order. */
  readonly pages: Address[] = [];
  readonly transactions: string[] = [];
  /** How many calls run, and the most that ever did. */
  readonly running = { pages: 0, others: 0, maxPages: 0, maxOthers: 0 };
  /** Runs before each answer. */
  before: () => void | Promise<void> = () => undefined;
  readonly #count: number;
  readonly #memo: string | null;
  readonly #landed: LandedTransaction;

  constructor(
    count: number,
    { memo = null, landed = {} }: { memo?: string | null; landed?: Partial<LandedTransaction> } = {},
  ) {
    this.#count = count;
    this.#memo = memo;
    this.#landed = landedTransaction({ ...landed, slot: finalizedSlot });
  }

  async readSignatures(address: Address, { before }: HistoryPage): Promise<readonly HistoryEntry[]> {
    this.pages.push(address);
    this.running.maxPages = Math.max(this.running.maxPages, ++this.running.pages);
    await this.before();
    this.running.pages -= 1;
    const first = before === undefined ? 0 : Number(before.split(' ')[1]) + 1;
    return Array.from({ length: Math.min(pageSize, this.#count - first) }, (_, index) => ({
      signature: `${address} ${first + index}`,
      slot: finalizedSlot,
      error: null,
      memo: this.#memo,
      blockTime: null,
      commitment: 'finalized',
    }));
  }

  readTransaction(signature: string): Promise<LandedTransaction> {
    this.transactions.push(signature);
    return this.#answer(this.#landed);
  }

  readFinalizedHeight = () => this.#answer({ slot: finalizedSlot, blockHeight: 90_000n });
  readFirstAvailableSlot = () => this.#answer(0n);
  readStatuses = () => this.#answer({ slot: finalizedSlot, statuses: [] });
  readBlockHeight = () => this.#answer(90_000n);
  readNonce = () => this.#answer({ slot: finalizedSlot, nonce: undefined });
  isBlockhashAlive = () => this.#answer(false);

  async #answer<T>(answer: T): Promise<T> {
    this.running.maxOthers = Math.max(this.running.maxOthers, ++this.running.others);
    await this.before();
    this.running.others -= 1;
    return answer;
  }
}
