import { LRUCache } from 'lru-cache';
import type { Address } from 'splwright-core';
import type { ChainHead } from './chain-head.ts';
import type {
  ChainHistory,
  FinalizedHeight,
  HistoryEntry,
  HistoryPage,
  LandedTransaction,
  NodeHistory,
  NonceAtSlot,
  StatusesAtSlot,
} from './chain-history.ts';
import type { Deadline } from './chain-reader.ts';
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
import type { UpstreamNode, UpstreamPool } from './upstream-pool.ts';

// Nodes behind one address finalize slots at different times, so an answer may be this many slots older than another one's. It is
// less than the 150 blocks that a blockhash lives: one that is too new for a block this far back is still alive at the newest one,
// which is asked as well.
const finalizedSlackSlots = 64n;

// A page can have 4 MiB, a transaction 2.
const maxKeptPages = 8;
const maxKeptTransactions = 64;

// Of some 100 bytes each.
const maxFinalizedHeights = 10_000;

/** Reads over JSON-RPC what one upstream says of the past. */
class RpcNodeHistory implements NodeHistory {
  readonly name: string;
  readonly #node: UpstreamNode;
  readonly #head: ChainHead;
  readonly #finalizedSlot: FinalizedSlot;
  readonly #finalized = keepTransactions();
  readonly #finalizedHeights = new LRUCache<bigint, bigint>({ max: maxFinalizedHeights });
  readonly #heights: SharedCalls<FinalizedHeight>;
  readonly #firstSlots: SharedCalls<bigint>;
  readonly #statuses: SharedCalls<StatusesAtSlot>;
  readonly #pages: SharedCalls<readonly HistoryEntry[]>;
  readonly #transactions: SharedCalls<LandedTransaction | null>;
  readonly #blockHeights: SharedCalls<bigint | null>;
  readonly #nonces: SharedCalls<NonceAtSlot>;
  readonly #blockhashes: SharedCalls<boolean>;

  constructor(node: UpstreamNode, { pool, now }: RpcChainHistoryOptions) {
    this.name = node.name;
    this.#node = node;
    this.#head = pool.head;
    this.#finalizedSlot = new FinalizedSlot(now);
    this.#heights = new SharedCalls({ now });
    this.#firstSlots = new SharedCalls({ now });
    this.#statuses = new SharedCalls({ now });
    this.#pages = new SharedCalls({ max: maxKeptPages, now });
    this.#transactions = new SharedCalls({ max: maxKeptTransactions, now });
    this.#blockHeights = new SharedCalls({ now });
    this.#nonces = new SharedCalls({ now });
    this.#blockhashes = new SharedCalls({ now });
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

  readStatuses(signatures: readonly string[], deadline: Deadline): Promise<StatusesAtSlot> {
    // An answer from before the newest finalized height says nothing about that height.
    const minSlot = this.#finalizedSlot.slot;
    return this.#statuses.read(`${signatures.join()} ${minSlot}`, deadline, async (until) => {
      const answer = await this.#node.call(statusesRequest(signatures, minSlot), until);
      // A node that does not show the transaction of such a status has not come that far.
      for (const status of answer.statuses) {
        if (status?.commitment === 'finalized' && status.slot <= answer.slot) this.#finalizedSlot.note(status.slot);
      }
      return answer;
    });
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
    const minSlot = this.#finalizedSlot.slot;
    return this.#transactions.read(`${signature} ${minSlot}`, deadline, async (until) => {
      const transaction = await this.#node.call(transactionRequest(signature, minSlot), until);
      // What a node does not show now it may show later, as one of several behind an address.
      const isShown = transaction?.balances !== undefined;
      if (isShown && transaction.slot <= this.#finalizedSlot.slot) this.#finalized.set(signature, transaction);
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

// Some thousands of transfers, or those of one request that asks for a hundred large transactions.
const maxBytes = 16 * 1024 * 1024;

// An entry without its bytes and its error; each token account in it; each address that it names; and each byte, once more with
// what is read of it.
const entryBytes = 2_000;
const tokenAccountBytes = 400;
const addressBytes = 200;
const timesRead = 3;

/** Keeps transactions of one node that cannot change any more, the latest used ones, by their signatures: up to 16 MiB. */
export function keepTransactions(): LRUCache<string, LandedTransaction> {
  return new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf });
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

/** The upstreams, and what their histories share with the rest of the reader. */
export interface RpcChainHistoryOptions {
  pool: UpstreamPool;
  /** How many must show a landed transaction. */
  quorum: number;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// A node may have lost what another one has. So absence needs two nodes, even where one answer proves presence.
const minDenials = 2;

/** The past over JSON-RPC, from the upstreams of a pool, each asked by itself. */
export class RpcChainHistory implements ChainHistory {
  readonly neededDenials: number;
  readonly neededSightings: number;
  readonly #nodes: readonly { node: UpstreamNode; history: NodeHistory }[];

  constructor(options: RpcChainHistoryOptions) {
    const { nodes } = options.pool;
    this.neededSightings = options.quorum;
    this.neededDenials = Math.max(options.quorum, Math.min(minDenials, nodes.length));
    this.#nodes = nodes.map((node) => ({ node, history: new RpcNodeHistory(node, options) }));
  }

  nodes(): readonly NodeHistory[] {
    const usable = this.#nodes.filter(({ node }) => node.isUsable);
    const others = this.#nodes.filter((each) => !usable.includes(each));
    return [...usable, ...others].map(({ history }) => history);
  }
}
