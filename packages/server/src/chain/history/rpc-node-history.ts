import { LRUCache } from 'lru-cache';
import type { Address } from 'splwright-core';
import type {
  FinalizedHeight,
  HistoryEntry,
  HistoryPage,
  LandedTransaction,
  NodeHistory,
  NonceAtSlot,
  StatusesAtSlot,
} from '../chain-history.ts';
import type { Deadline } from '../chain-reader.ts';
import type { ChainHead } from '../reads/chain-head.ts';
import type { DeadlineWatch } from '../reads/shared-answer.ts';
import type { UpstreamNode } from '../upstreams/upstream-node.ts';
import { FinalizedSlot, FinalizedTransactions } from './finalized-transactions.ts';
import {
  blockHeightRequest,
  blockhashAliveRequest,
  finalizedHeightRequest,
  firstAvailableSlotRequest,
  nonceRequest,
  signaturesRequest,
  statusesRequest,
  transactionRequest,
} from './history-requests.ts';
import { SharedCalls } from './shared-calls.ts';
import { type StatusAtSlot, StatusBatcher } from './status-batcher.ts';

// Nodes behind one address finalize slots at different times. A blockhash that is too new for a finalized block so far back is
// young enough for the newest one, which is asked as well.
const finalizedSlackSlots = 64n;

// A page can have 4 MiB, a transaction 2.
const maxKeptPages = 8;
const maxKeptTransactions = 64;

// Of some 100 bytes each.
const maxFinalizedHeights = 10_000;

/** One upstream, and what its history shares with the rest of the reader. */
export interface RpcNodeHistoryOptions {
  node: UpstreamNode;
  head: ChainHead;
  watch: DeadlineWatch;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** Reads over JSON-RPC what one upstream says of the past. */
export class RpcNodeHistory implements NodeHistory {
  readonly name: string;
  readonly #node: UpstreamNode;
  readonly #head: ChainHead;
  readonly #batcher: StatusBatcher;
  readonly #finalizedSlot: FinalizedSlot;
  readonly #finalized = new FinalizedTransactions();
  readonly #heights: SharedCalls<FinalizedHeight>;
  readonly #firstSlots: SharedCalls<bigint>;
  readonly #statuses: SharedCalls<StatusAtSlot>;
  readonly #pages: SharedCalls<readonly HistoryEntry[]>;
  readonly #transactions: SharedCalls<LandedTransaction | null>;
  readonly #blockHeights: SharedCalls<bigint | null>;
  readonly #finalizedHeights = new LRUCache<bigint, bigint>({ max: maxFinalizedHeights });
  readonly #nonces: SharedCalls<NonceAtSlot>;
  readonly #blockhashes: SharedCalls<boolean>;

  constructor({ node, head, watch, now }: RpcNodeHistoryOptions) {
    this.name = node.name;
    this.#node = node;
    this.#head = head;
    this.#batcher = new StatusBatcher(
      (signatures, deadline) => node.call(statusesRequest(signatures), deadline),
      watch.tracer,
    );
    this.#finalizedSlot = new FinalizedSlot(now);
    this.#heights = new SharedCalls(watch, now);
    this.#firstSlots = new SharedCalls(watch, now);
    this.#statuses = new SharedCalls(watch, now);
    this.#pages = new SharedCalls(watch, now, maxKeptPages);
    this.#transactions = new SharedCalls(watch, now, maxKeptTransactions);
    this.#blockHeights = new SharedCalls(watch, now);
    this.#nonces = new SharedCalls(watch, now);
    this.#blockhashes = new SharedCalls(watch, now);
  }

  readFinalizedHeight(deadline: Deadline): Promise<FinalizedHeight> {
    return this.#heights.read('', deadline, async (until) => {
      const height = await this.#node.call(finalizedHeightRequest, until);
      this.#finalizedSlot.note(height.slot);
      return height;
    });
  }

  readFirstAvailableSlot(deadline: Deadline): Promise<bigint> {
    return this.#firstSlots.read('', deadline, (until) => this.#node.call(firstAvailableSlotRequest, until));
  }

  async readStatuses(signatures: readonly string[], deadline: Deadline): Promise<StatusesAtSlot> {
    const read = await Promise.all(
      signatures.map((signature) =>
        this.#statuses.read(signature, deadline, (until) => this.#batcher.read(signature, until)),
      ),
    );
    const slots = read.map(({ slot }) => slot);
    return {
      slot: slots.reduce((lowest, slot) => (slot < lowest ? slot : lowest), slots[0] ?? 0n),
      statuses: read.map(({ status }) => status),
    };
  }

  readSignatures(address: Address, page: HistoryPage, deadline: Deadline): Promise<readonly HistoryEntry[]> {
    const key = [address, page.before, page.until, page.minContextSlot, page.limit].join();
    return this.#pages.read(key, deadline, (until) =>
      this.#node.call(signaturesRequest(address, page, this.#head), until),
    );
  }

  async readTransaction(signature: string, deadline: Deadline): Promise<LandedTransaction | null> {
    const kept = this.#finalized.get(signature);
    if (kept) return kept;
    return this.#transactions.read(signature, deadline, async (until) => {
      const transaction = await this.#node.call(transactionRequest(signature), until);
      if (transaction && transaction.slot <= this.#finalizedSlot.slot) this.#finalized.keep(signature, transaction);
      return transaction;
    });
  }

  async readBlockHeight(slot: bigint, deadline: Deadline): Promise<bigint | null> {
    const kept = this.#finalizedHeights.get(slot);
    if (kept !== undefined) return kept;
    return this.#blockHeights.read(String(slot), deadline, async (until) => {
      const height = await this.#node.call(blockHeightRequest(slot), until);
      if (height !== null && slot <= this.#finalizedSlot.slot) this.#finalizedHeights.set(slot, height);
      return height;
    });
  }

  readNonce(account: Address, deadline: Deadline): Promise<NonceAtSlot> {
    const minSlot = this.#finalizedSlot.slot;
    return this.#nonces.read(`${account} ${minSlot}`, deadline, (until) =>
      this.#node.call(nonceRequest(account, this.#head, minSlot), until),
    );
  }

  isBlockhashAlive(blockhash: string, deadline: Deadline): Promise<boolean> {
    const { slot } = this.#finalizedSlot;
    return this.#blockhashes.read(`${blockhash} ${slot}`, deadline, async (until) => {
      const finalized = slot > finalizedSlackSlots ? slot - finalizedSlackSlots : 0n;
      const newest = BigInt(this.#head.minContextSlot.minContextSlot ?? 0);
      const [isProcessed, isFinalized] = await Promise.all([
        this.#node.call(blockhashAliveRequest(blockhash, 'processed', slot > newest ? slot : newest), until),
        this.#node.call(blockhashAliveRequest(blockhash, 'finalized', finalized), until),
      ]);
      return isProcessed || isFinalized;
    });
  }
}
