import type { Address } from 'splwright-core';
import type {
  FinalizedHeight,
  LandedTransaction,
  NodeHistory,
  NonceAtSlot,
  SignatureStatus,
} from '../../chain/chain-history.ts';
import type { Deadline } from '../../chain/chain-reader.ts';
import { FairLimit } from '../../work/fair-limit.ts';
import { Work } from '../../work/work.ts';
import { AddressHistory, type HistoryRange } from './address-history.ts';

// How many calls of one request a node gets at a time.
const maxParallelCalls = 8;

/** What a view is for. */
export interface ViewScope {
  signatures: readonly string[];
  maxCandidates: number;
}

/**
 * One node as one request sees it: whatever several of its transactions need is asked once.
 *
 * Every method throws the `UpstreamFault` of the node.
 */
export class NodeView {
  readonly #node: NodeHistory;
  readonly #deadline: Deadline;
  /** Those whose statuses are read in one call. */
  readonly #signatures: readonly string[];
  readonly #limit = new FairLimit(maxParallelCalls);
  readonly #work: Work;
  readonly #answers = new Map<string, Promise<unknown>>();
  readonly #histories = new Map<string, AddressHistory>();
  /** How many transactions may be looked at for one item, or link. */
  readonly maxCandidates: number;

  constructor(node: NodeHistory, { signatures, maxCandidates }: ViewScope, deadline: Deadline) {
    this.#node = node;
    this.#deadline = deadline;
    this.#work = new Work({ deadline });
    this.#signatures = [...new Set(signatures)];
    this.maxCandidates = maxCandidates;
  }

  /** The newest finalized slot and its block height. */
  height(): Promise<FinalizedHeight> {
    return this.#once('height', () => this.#node.readFinalizedHeight(this.#deadline));
  }

  /** The lowest slot of which the node still has the transactions. */
  firstAvailableSlot(): Promise<bigint> {
    return this.#once('first', () => this.#node.readFirstAvailableSlot(this.#deadline));
  }

  /** The status of one of the signatures, and the slot that the node had reached then. */
  async status(signature: string): Promise<{ slot: bigint; status: SignatureStatus | null }> {
    const read = () => this.#node.readStatuses(this.#signatures, this.#deadline);
    const { slot, statuses } = await this.#once('statuses', read);
    return { slot, status: statuses[this.#signatures.indexOf(signature)] ?? null };
  }

  /** A confirmed transaction. */
  transaction(signature: string): Promise<LandedTransaction | null> {
    return this.#once(`transaction ${signature}`, () => this.#node.readTransaction(signature, this.#deadline));
  }

  /** The height of the block of a slot. */
  blockHeight(slot: bigint): Promise<bigint | null> {
    return this.#once(`block ${slot}`, () => this.#node.readBlockHeight(slot, this.#deadline));
  }

  /** Whether the node still accepts a blockhash. */
  isBlockhashAlive(blockhash: string): Promise<boolean> {
    return this.#once(`blockhash ${blockhash}`, () => this.#node.isBlockhashAlive(blockhash, this.#deadline));
  }

  /** The nonce in an account. */
  nonce(account: Address): Promise<NonceAtSlot> {
    return this.#once(`nonce ${account}`, () => this.#node.readNonce(account, this.#deadline));
  }

  /** The transactions of an address within a range. */
  history(address: Address, range: HistoryRange): AddressHistory {
    const key = `${address} ${range.minContextSlot} ${range.until}`;
    const known = this.#histories.get(key);
    if (known) return known;
    const history = new AddressHistory(address, range, (...page) =>
      this.#limit.run(this.#work, () => this.#node.readSignatures(...page, this.#deadline)),
    );
    this.#histories.set(key, history);
    return history;
  }

  #once<T>(key: string, read: () => Promise<T>): Promise<T> {
    // The key says which method was asked, and so of which type the answer is.
    const known = this.#answers.get(key) as Promise<T> | undefined;
    if (known) return known;
    const answer = this.#limit.run(this.#work, read);
    this.#answers.set(key, answer);
    return answer;
  }
}
