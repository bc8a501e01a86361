import { address } from '@solana/kit';
import { decodeTransaction, encodeBase58, landedContent } from 'splwright-core';
import type { Address } from '../../../core/src/addresses/address.ts';
import type { Ledger } from '../../../sandbox/src/index.ts';
import { decodeNonceAccount } from '../../../sandbox/src/ledger/durable-nonce.ts';
import type { TransactionRecord } from '../../../sandbox/src/ledger/transaction-history.ts';
import { toUiMeta, toUiTransaction } from '../../../sandbox/src/rpc/wire/transaction-encoding.ts';
import type {
  ChainHistory,
  Commitment,
  FinalizedHeight,
  HistoryEntry,
  HistoryPage,
  LandedTransaction,
  NodeHistory,
  NonceAtSlot,
  SignatureStatus,
  StatusesAtSlot,
} from '../../src/chain/chain-history.ts';
import { readTransactionResult } from '../../src/chain/landed-transaction.ts';
import { nonsense, unavailable } from '../../src/chain/upstream-faults.ts';

/** The methods by which a node is asked about the past. */
export type HistoryMethod = Exclude<keyof NodeHistory, 'name'>;

/** A transaction that stands in a block as failed, without a fee and without logs (SIMD-0290). */
export interface NoOp {
  bytes: Uint8Array;
  slot: bigint;
  error: unknown;
}

/** What is wrong with a node; all of it may change at any time. */
export interface NodeFaults {
  /** How many slots it is behind the ledger, in everything. */
  lagSlots: number;
  /** How many slots its lists, statuses and transactions are behind what it says of itself: an index that is written late. */
  indexLagSlots: number;
  /** It has dropped everything before this slot. */
  firstSlot: bigint;
  /** Transactions that it says nothing of, though it has them; also what a fork has dropped. */
  omitted: ReadonlySet<string>;
  /** Transactions that it lists and cannot show. */
  lost: ReadonlySet<string>;
  /** Transactions that it has only processed. */
  processedOnly: ReadonlySet<string>;
  /** It keeps no history, and refuses to be asked for it. */
  hasNoHistory: boolean;
  /** It lists no memos. */
  hasNoMemos: boolean;
  /** What it did not keep of transactions: it is null. */
  leftOut: readonly ('innerInstructions' | 'preTokenBalances' | 'postTokenBalances')[];
  /** Its lists of token balances have no entries. */
  hasEmptyBalances: boolean;
  /** It never lists more than this in one answer, however much it is asked for. */
  maxPage: number;
  /** How many slots finality is behind the newest one: 32 of TowerBFT; 0 of Alpenglow, whose certificates finalize at once. */
  finalityLagSlots: number;
  /** Slots that it has processed after the newest one of the ledger, with blocks of votes only: a migration deletes them. */
  voteOnlySlots: number;
  /** Transactions in a block that were not executed, because their fee payer could not pay: no ledger here makes such. */
  noOps: readonly NoOp[];
  /** The calls that fail. */
  failing: ReadonlySet<HistoryMethod>;
  /** Changes what it lists of an address. */
  changeEntries: (entries: readonly HistoryEntry[], page: HistoryPage) => readonly HistoryEntry[];
  /** Runs before each answer is made: what happens between two calls, or how long one takes. */
  before: (method: HistoryMethod, subject: string) => void | Promise<void>;
}

const defaultLimit = 1_000;

// agave `MAX_PROCESSING_AGE`.
const blockhashLifetimeBlocks = 150n;

/** The history of one node over a ledger, with faults to order, and the calls that it was sent. */
export class LedgerNodeHistory implements NodeHistory {
  readonly name: string;
  readonly faults: NodeFaults = {
    lagSlots: 0,
    indexLagSlots: 0,
    firstSlot: 0n,
    omitted: new Set(),
    lost: new Set(),
    processedOnly: new Set(),
    hasNoHistory: false,
    hasNoMemos: false,
    leftOut: [],
    hasEmptyBalances: false,
    maxPage: defaultLimit,
    finalityLagSlots: 32,
    voteOnlySlots: 0,
    noOps: [],
    failing: new Set(),
    changeEntries: (entries) => entries,
    before: () => undefined,
  };
  /** Every call so far, in order. */
  readonly calls: HistoryMethod[] = [];
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, name = 'upstream_1', faults: Partial<NodeFaults> = {}) {
    this.#ledger = ledger;
    this.name = name;
    Object.assign(this.faults, faults);
  }

  async readFinalizedHeight(): Promise<FinalizedHeight> {
    await this.#begin('readFinalizedHeight');
    const slot = this.#finalizedSlot;
    return { slot, blockHeight: this.#heightOf(slot) };
  }

  async readFirstAvailableSlot(): Promise<bigint> {
    await this.#begin('readFirstAvailableSlot');
    const { firstAvailableSlot } = this.#ledger;
    return firstAvailableSlot > this.faults.firstSlot ? firstAvailableSlot : this.faults.firstSlot;
  }

  async readBlockHeight(slot: bigint): Promise<bigint | null> {
    await this.#begin('readBlockHeight', String(slot));
    this.#assertHistory();
    if (slot < this.faults.firstSlot || slot > this.#slot) return null;
    return this.#ledger.block(slot)?.blockHeight ?? null;
  }

  async readStatuses(signatures: readonly string[]): Promise<StatusesAtSlot> {
    await this.#begin('readStatuses', signatures.join(' '));
    this.#assertHistory();
    const statuses = signatures.map((signature) => {
      const record = this.#ledger.transactionRecord(signature) ?? this.#noOp(signature);
      return record && this.#shows(record) ? this.#statusOf(record) : null;
    });
    return { slot: this.#slot + BigInt(this.faults.voteOnlySlots), statuses };
  }

  async readSignatures(subject: Address, page: HistoryPage): Promise<readonly HistoryEntry[]> {
    await this.#begin('readSignatures', subject);
    this.#assertHistory();
    if (page.minContextSlot !== undefined && page.minContextSlot > this.#slot) {
      throw unavailable('node', 'it has not reached the slot that is asked for');
    }
    const noOps = this.#noOps.filter(({ addresses }) => addresses.includes(subject));
    const records = [...noOps, ...this.#ledger.transactionRecordsOf(subject)]
      .filter((record) => this.#shows(record) && !this.faults.processedOnly.has(record.signature))
      .sort((one, other) => Number(other.slot - one.slot));
    const first = page.before === undefined ? 0 : records.findIndex(({ signature }) => signature === page.before) + 1;
    // As a node does that does not know the signature.
    if (first === 0 && page.before !== undefined) return [];
    const limit = Math.min(page.limit ?? defaultLimit, this.faults.maxPage);
    const known = records.findIndex(({ signature }) => signature === page.until);
    const end = Math.min(first + limit, known === -1 ? records.length : known);
    const entries = records.slice(first, end).map((record) => this.#entryOf(record));
    return this.faults.changeEntries(entries, page);
  }

  async readTransaction(signature: string): Promise<LandedTransaction | null> {
    await this.#begin('readTransaction', signature);
    this.#assertHistory();
    const noOp = this.#noOp(signature);
    if (noOp) return this.#shows(noOp) ? landedNoOp(noOp) : null;
    const record = this.#ledger.transactionRecord(signature);
    return record && this.#shows(record) && !this.faults.lost.has(signature)
      ? landedTransactionOf(record, this.faults)
      : null;
  }

  async readNonce(account: Address): Promise<NonceAtSlot> {
    await this.#begin('readNonce', account);
    const commitment = this.faults.lagSlots === 0 ? 'confirmed' : 'finalized';
    const found = this.#ledger.getAccount(address(account), commitment);
    return { slot: this.#slot, nonce: found && decodeNonceAccount(found)?.nonce };
  }

  async isBlockhashAlive(blockhash: string): Promise<boolean> {
    await this.#begin('isBlockhashAlive', blockhash);
    const processedHeight = this.#heightOf(this.#slot) + BigInt(this.faults.voteOnlySlots);
    const finalized = this.#finalizedSlot;
    return (
      this.#isAliveAt(blockhash, this.#slot, processedHeight) ||
      this.#isAliveAt(blockhash, finalized, this.#heightOf(finalized))
    );
  }

  get #slot(): bigint {
    return this.#ledger.slot() - BigInt(this.faults.lagSlots);
  }

  get #finalizedSlot(): bigint {
    return this.#slot - BigInt(this.faults.finalityLagSlots);
  }

  async #begin(method: HistoryMethod, subject = ''): Promise<void> {
    this.calls.push(method);
    await this.faults.before(method, subject);
    if (this.faults.failing.has(method)) throw unavailable('connection', 'the connection failed');
  }

  #assertHistory(): void {
    if (this.faults.hasNoHistory) throw nonsense('refused', 'it keeps no history');
  }

  #heightOf(slot: bigint): bigint {
    const block = this.#ledger.block(slot);
    if (!block) throw new Error(`the ledger has no block of slot ${slot}`);
    return block.blockHeight;
  }

  #isAliveAt(blockhash: string, tip: bigint, tipHeight: bigint): boolean {
    for (let slot = tip; this.#ledger.block(slot) && tip - slot <= blockhashLifetimeBlocks; slot -= 1n) {
      const block = this.#ledger.block(slot);
      if (block?.blockhash === blockhash) return tipHeight <= block.blockHeight + blockhashLifetimeBlocks;
    }
    return false;
  }

  get #noOps(): readonly ListedNoOp[] {
    return this.faults.noOps.map((noOp) => {
      const { signatures, accounts } = decodeTransaction(noOp.bytes);
      const [first = new Uint8Array()] = signatures;
      const addresses = accounts.map((each) => each.address);
      return { ...noOp, addresses, signature: encodeBase58(first), memo: null, blockTime: null };
    });
  }

  #noOp(signature: string): ListedNoOp | undefined {
    return this.#noOps.find((each) => each.signature === signature);
  }

  #shows({ signature, slot }: Pick<HistoryEntry, 'signature' | 'slot'>): boolean {
    const { firstSlot, indexLagSlots, omitted } = this.faults;
    return slot >= firstSlot && slot <= this.#slot - BigInt(indexLagSlots) && !omitted.has(signature);
  }

  #statusOf({ signature, slot, error }: Pick<HistoryEntry, 'signature' | 'slot' | 'error'>): SignatureStatus {
    return { slot, error, commitment: this.#commitmentOf(signature, slot) };
  }

  #commitmentOf(signature: string, slot: bigint): Commitment {
    if (this.faults.processedOnly.has(signature)) return 'processed';
    return slot <= this.#finalizedSlot ? 'finalized' : 'confirmed';
  }

  #entryOf(record: Omit<HistoryEntry, 'commitment'>): HistoryEntry {
    const { signature, memo, blockTime } = record;
    return { ...this.#statusOf(record), signature, memo: this.faults.hasNoMemos ? null : memo, blockTime };
  }
}

/** A history of these nodes, of which so many must say the same; by default as many as a real one wants. */
export function historyOf(nodes: readonly NodeHistory[], { quorum = 1 }: { quorum?: number } = {}): ChainHistory {
  const neededDenials = Math.max(quorum, Math.min(2, nodes.length));
  return { nodes: () => nodes, neededDenials, neededSightings: quorum };
}

function landedTransactionOf(
  record: TransactionRecord,
  { leftOut, hasEmptyBalances }: NodeFaults,
): LandedTransaction | null {
  const { slot, blockTime, signature } = record;
  const meta = {
    ...Object(toUiMeta(record, 'base64')),
    ...(hasEmptyBalances && { preTokenBalances: [], postTokenBalances: [] }),
    ...Object.fromEntries(leftOut.map((name) => [name, null])),
  };
  return readTransactionResult({ slot, blockTime, transaction: toUiTransaction(record, 'base64'), meta }, signature);
}

/** A no-op as a node lists it. */
interface ListedNoOp extends Omit<HistoryEntry, 'commitment'>, NoOp {
  addresses: readonly Address[];
}

function landedNoOp({ bytes, slot, signature, error }: ListedNoOp): LandedTransaction | null {
  const meta = {
    err: error,
    fee: 0,
    logMessages: [],
    innerInstructions: [],
    preTokenBalances: [],
    postTokenBalances: [],
    computeUnitsConsumed: 200_000,
  };
  const transaction = [Buffer.from(bytes).toString('base64'), 'base64'];
  return readTransactionResult({ slot, blockTime: null, transaction, meta }, signature);
}

/** A landed transaction with other bytes, without what programs called. */
export function withBytes(landed: LandedTransaction, bytes: Uint8Array): LandedTransaction {
  return {
    ...landed,
    bytes,
    content: landedContent(decodeTransaction(bytes, landed.loadedAddresses), new Map()),
  };
}
