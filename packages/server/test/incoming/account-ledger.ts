import type { Address } from 'splwright-core';
import type {
  ChainHistory,
  Commitment,
  FinalizedHeight,
  HistoryEntry,
  HistoryPage,
  LandedTransaction,
  NodeHistory,
  NonceAtSlot,
  StatusesAtSlot,
} from '../../src/chain/chain-history.ts';
import type { AccountsAtSlot } from '../../src/chain/chain-reader.ts';
import { nonsense, unavailable } from '../../src/chain/upstream-faults.ts';
import type { CreditedAccount } from '../../src/incoming/credit-in.ts';
import { addressNumber } from '../outcomes/busy-node.ts';
import { landedTransaction } from '../outcomes/sample-match.ts';

/** Who gave what arrives on this ledger. */
export const giver = addressNumber(7_000_000);
const giversAccount = addressNumber(7_000_001);

/** What happens to a token account. */
export interface AccountTransaction {
  account: CreditedAccount;
  signature: string;
  slot: bigint;
  /** What arrives; 0 for what brings nothing. */
  amount: bigint;
  references: readonly Address[];
  memo: string | null;
  error: unknown;
}

/** What is wrong with a node; all of it may change at any time. */
export interface AccountNodeFaults {
  /** Transactions that it does not have, as after a fork. */
  without: ReadonlySet<string>;
  /** Transactions that it has, and does not list. */
  unlisted: ReadonlySet<string>;
  /** Transactions that it lists, and does not show. */
  lost: ReadonlySet<string>;
  /** How many slots it is behind. */
  lagSlots: bigint;
  hasNoHistory: boolean;
  isAway: boolean;
  /** Changes a page that it lists. */
  changePage: (entries: readonly HistoryEntry[], page: HistoryPage) => readonly HistoryEntry[];
}

const finalityLagSlots = 32n;
const defaultLimit = 1_000;

/** A ledger of what happens to token accounts, without programs: it has as many transactions as a test wants. */
export class AccountLedger {
  slot = 1_000n;
  /** How often accounts were read. */
  accountCalls = 0;
  readonly #ofAccount = new Map<Address, AccountTransaction[]>();
  readonly #bySignature = new Map<string, AccountTransaction>();

  /** Lets a transaction land in the newest slot; one that is there already, in place of where it was. */
  land(account: CreditedAccount, changes: Partial<AccountTransaction> = {}): string {
    const signature = changes.signature ?? `signature ${this.#bySignature.size}`;
    const known = this.#ofAccount.get(account.tokenAccount) ?? [];
    const again = changes.signature === undefined ? -1 : known.findIndex((each) => each.signature === signature);
    if (again >= 0) known.splice(again, 1);
    const landed = {
      account,
      signature,
      slot: this.slot,
      amount: 5n,
      references: [],
      memo: null,
      error: null,
      ...changes,
    };
    known.unshift(landed);
    this.#ofAccount.set(account.tokenAccount, known);
    this.#bySignature.set(signature, landed);
    return signature;
  }

  /** Lets many transactions land, ten in each slot. */
  landMany(account: CreditedAccount, count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => {
      if (index % 10 === 0) this.slot += 1n;
      return this.land(account);
    });
  }

  /** Lets everything become final. */
  finalize(): void {
    this.slot += finalityLagSlots + 1n;
  }

  /** Reads accounts as a node does: what is in them changes with each transaction that brings something. */
  async readAccounts(addresses: readonly Address[]): Promise<AccountsAtSlot> {
    this.accountCalls += 1;
    const accounts = addresses.map((address) => {
      const landed = this.of(address).filter(({ amount, error }) => amount > 0n && error === null);
      const data = Uint8Array.from(Buffer.from(String(landed.length)));
      return landed.length === 0 ? null : { owner: giver, lamports: 1n, data, executable: false };
    });
    return { slot: this.slot, accounts };
  }

  /** The transactions of an account, the newest first. */
  of(tokenAccount: Address): readonly AccountTransaction[] {
    return this.#ofAccount.get(tokenAccount) ?? [];
  }

  /** The transaction with a signature. */
  find(signature: string): AccountTransaction | undefined {
    return this.#bySignature.get(signature);
  }
}

/** The history that one node keeps of such a ledger, with faults to order, and counts of what it was asked. */
export class AccountNode implements NodeHistory {
  readonly name: string;
  readonly faults: AccountNodeFaults = {
    without: new Set(),
    unlisted: new Set(),
    lost: new Set(),
    lagSlots: 0n,
    hasNoHistory: false,
    isAway: false,
    changePage: (entries) => entries,
  };
  /** How often each method was called. */
  readonly calls = new Map<string, number>();
  readonly #ledger: AccountLedger;

  constructor(ledger: AccountLedger, name = 'upstream_1', faults: Partial<AccountNodeFaults> = {}) {
    this.#ledger = ledger;
    this.name = name;
    Object.assign(this.faults, faults);
  }

  async readSignatures(address: Address, page: HistoryPage): Promise<readonly HistoryEntry[]> {
    this.#begin('readSignatures');
    const { unlisted, changePage } = this.faults;
    const { before, until } = page;
    const all = this.#ledger.of(address);
    const newer = before === undefined ? -1 : all.findIndex((each) => each.signature === before && this.#has(each));
    // As a node does that does not know the signature.
    if (newer < 0 && before !== undefined) return [];
    const older: AccountTransaction[] = [];
    for (let index = newer + 1; index < all.length && older.length < (page.limit ?? defaultLimit); index++) {
      const each = all[index];
      if (!each || (each.signature === until && this.#has(each))) break;
      if (this.#has(each) && !unlisted.has(each.signature)) older.push(each);
    }
    const entries = older.map((each) => ({
      signature: each.signature,
      slot: each.slot,
      error: each.error,
      memo: each.memo,
      blockTime: 1_700_000_000n,
      commitment: this.#commitmentOf(each.slot),
    }));
    return changePage(entries, page);
  }

  async readTransaction(signature: string): Promise<LandedTransaction | null> {
    this.#begin('readTransaction');
    const found = this.#ledger.find(signature);
    return found && this.#has(found) && !this.faults.lost.has(signature) ? landedOf(found) : null;
  }

  async readStatuses(signatures: readonly string[]): Promise<StatusesAtSlot> {
    this.#begin('readStatuses');
    const statuses = signatures.map((signature) => {
      const found = this.#ledger.find(signature);
      if (!found || !this.#has(found)) return null;
      return { slot: found.slot, error: found.error, commitment: this.#commitmentOf(found.slot) };
    });
    return { slot: this.#slot, statuses };
  }

  async readFinalizedHeight(): Promise<FinalizedHeight> {
    this.#begin('readFinalizedHeight');
    return { slot: this.#slot - finalityLagSlots, blockHeight: this.#slot - finalityLagSlots };
  }

  async readFirstAvailableSlot(): Promise<bigint> {
    return 0n;
  }

  async readBlockHeight(slot: bigint): Promise<bigint> {
    return slot;
  }

  async readNonce(): Promise<NonceAtSlot> {
    return { slot: this.#slot, nonce: undefined };
  }

  async isBlockhashAlive(): Promise<boolean> {
    return false;
  }

  get #slot(): bigint {
    return this.#ledger.slot - this.faults.lagSlots;
  }

  #begin(method: string): void {
    this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
    if (this.faults.hasNoHistory) throw nonsense('refused', 'it answered with error -32601: "Method not found"');
    if (this.faults.isAway) throw unavailable('connection', 'the connection failed');
  }

  #has({ signature, slot }: AccountTransaction): boolean {
    return slot <= this.#slot && !this.faults.without.has(signature);
  }

  #commitmentOf(slot: bigint): Commitment {
    return slot <= this.#slot - finalityLagSlots ? 'finalized' : 'confirmed';
  }
}

/** A history of these nodes. */
export function historyOf(nodes: readonly NodeHistory[], { quorum = 1 } = {}): ChainHistory {
  return { nodes: () => nodes, neededDenials: Math.max(quorum, Math.min(2, nodes.length)), neededSightings: quorum };
}

/** A token account of its own for each number. */
export function accountNumber(number: number): CreditedAccount {
  const [tokenAccount, wallet, mint] = [1, 2, 3].map((kind) => addressNumber(kind * 1_000_000 + number));
  if (!tokenAccount || !wallet || !mint) throw new Error('three addresses were made');
  return { tokenAccount, wallet, mint };
}

function landedOf({ account, slot, amount, references, memo, error }: AccountTransaction): LandedTransaction {
  const { tokenAccount: destination, wallet, mint } = account;
  const landed = landedTransaction({ slot, error, blockTime: 1_700_000_000n });
  const { content } = landed;
  const [transfer] = content?.transfers ?? [];
  if (!content || !transfer) throw new Error('the sample has a transfer');
  return {
    ...landed,
    content: { ...content, memos: memo === null ? [] : [memo], transfers: [{ ...transfer, destination, references }] },
    balances: new Map([
      [destination, { mint, before: 100n, after: 100n + amount, owner: wallet }],
      [giversAccount, { mint, before: 100n, after: 100n - amount, owner: giver }],
    ]),
  };
}
