import { LRUCache } from 'lru-cache';
import type { Address } from 'splwright-core';
import type { ChainHistory, HistoryEntry, NodeHistory } from '../chain/chain-history.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import type { HistoryMark } from '../outcomes/address-history.ts';
import { CannotTell } from '../outcomes/node-answer.ts';
import { AppError } from '../problems.ts';
import type { CreditRow } from '../store/schema/tables.ts';
import { type CreditedAccount, creditIn, type SeenCredit } from './credit-in.ts';
import type { FoundCredit } from './credit-records.ts';
import { type AccountList, type AccountPosition, listAccount, markIn, positionAfter } from './list-account.ts';

/** A token account to scan. */
export interface ScannedAccount extends CreditedAccount, AccountPosition {
  /** Its credits that are not final. */
  unfinished: readonly CreditRow[];
}

/** The result of scanning a token account. */
export interface AccountScan {
  position: AccountPosition;
  /** Why it is incomplete. */
  fault: string | null;
  /** Credits that are new, or are final now. */
  credits: readonly FoundCredit[];
  /** Credits that a fork dropped. */
  dropped: readonly CreditRow[];
  /** Whether there is more to read at once. */
  isMore: boolean;
  /** Transactions of which everything is known once this is stored. */
  done: readonly HistoryEntry[];
}

export interface AccountScannerOptions {
  history: ChainHistory;
  /** Has the payment links checked that have these references, at nodes that have reached a slot; rejects when that fails. */
  checkLinks: (references: readonly Address[], slot: bigint, deadline: Deadline) => Promise<void>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

/** A credit that one transaction brought, or the end of one; neither where nothing arrived. */
interface Finding {
  credit?: FoundCredit;
  dropped?: CreditRow;
  /** Why it cannot be told yet. */
  fault?: string;
}

/** One scan: the node that it asks first, and the others. */
interface Reading {
  account: ScannedAccount;
  node: NodeHistory;
  others: readonly NodeHistory[];
  deadline: Deadline;
}

const scanTimeoutMs = 15_000;
const maxTransactionsPerScan = 200;
const readsAtOnce = 8;

// A node may leave something out, which it or another one lists some scans later.
const settlesAfterMs = 60_000;
// Ten times what is kept for that long while 300 transactions are read a second.
const maxKept = 200_000;

const catchingUp = 'There is more in its history than one look reads: it is being caught up, the oldest first.';
const gap = 'A node does not list what was listed before: something may be missing until it does.';

/** Finds what arrived in token accounts since the last scan. */
export class AccountScanner {
  readonly #options: AccountScannerOptions;
  /** When each transaction was read, by account and slot: a fork may move it, and change what it does. */
  // With `max` the cache would take the memory of all entries at once.
  readonly #readAt = new LRUCache<string, number>({ maxSize: maxKept, sizeCalculation: () => 1 });
  /** Where the next scan of an account begins that has more than one scan lists. */
  readonly #marks = new Map<Address, HistoryMark>();

  constructor(options: AccountScannerOptions) {
    this.#options = options;
  }

  /**
   * Asks a node for what is new, another one where that fails, and where several must agree the others for what that is.
   *
   * What cannot be read, or whose payment link cannot be checked, is left for the next scan.
   */
  async scan(account: ScannedAccount): Promise<AccountScan> {
    const nothing = { position: account, fault: null, credits: [], dropped: [], isMore: false, done: [] };
    const nodes = this.#options.history.nodes();
    // In any order: what one leaves out another may list.
    const start = Math.floor(Math.random() * nodes.length);
    let fault = 'No node is configured.';
    for (const node of [...nodes.slice(start), ...nodes.slice(0, start)]) {
      const others = nodes.filter((each) => each !== node);
      try {
        return {
          ...nothing,
          ...(await this.#read({ account, node, others, deadline: performance.now() + scanTimeoutMs })),
        };
      } catch (error) {
        // A list that cannot be gone on with begins again.
        this.#marks.delete(account.tokenAccount);
        fault = faultOf(error);
      }
    }
    return { ...nothing, fault };
  }

  /** Notes that what a scan found is stored: it is not read again. */
  keep({ tokenAccount }: ScannedAccount, { done, dropped }: AccountScan): void {
    const at = this.#options.now();
    for (const entry of done) this.#readAt.set(keyOf(tokenAccount, entry), at);
    for (const credit of dropped) this.#readAt.delete(keyOf(tokenAccount, credit));
  }

  async #read(reading: Reading): Promise<Partial<AccountScan>> {
    const { account } = reading;
    const { tokenAccount, unfinished } = account;
    const list = await this.#list(reading);
    const { entries, isWhole, hasGap } = list;
    if (!isWhole) return { fault: catchingUp, isMore: true };
    const unread = entries.filter((entry) => !this.#readAt.has(keyOf(tokenAccount, entry)));
    const chosen = unread.slice(-maxTransactionsPerScan);
    const read = await inTurns(chosen, (entry) => this.#creditOf(reading, entry));
    const listed = new Map(entries.map((entry) => [entry.signature, entry]));
    const ended = await inTurns(unfinished, (credit) => this.#endOf(reading, credit, listed.get(credit.signature)));
    const findings = [...read, ...ended];
    const isMore = chosen.length < unread.length;
    const position = hasGap ? account : this.#positionAfter(account, entries);
    const isBehind = isMore || this.#marks.has(tokenAccount);
    return {
      position,
      fault: findings.find(({ fault }) => fault !== undefined)?.fault ?? (hasGap ? gap : isBehind ? catchingUp : null),
      credits: findings.flatMap(({ credit }) => credit ?? []),
      dropped: findings.flatMap((finding) => finding.dropped ?? []),
      isMore,
      done: chosen.filter((_, index) => read[index]?.fault === undefined),
    };
  }

  /** Lists the account, from the mark on where there is one; sets a mark where there is more. */
  async #list({ account, node, deadline }: Reading): Promise<AccountList> {
    const { tokenAccount } = account;
    const list = await listAccount(node, tokenAccount, account, { mark: this.#marks.get(tokenAccount), deadline });
    const mark = list.isWhole ? undefined : markIn(list.entries);
    if (mark) this.#marks.set(tokenAccount, mark);
    return list;
  }

  #positionAfter(account: ScannedAccount, entries: readonly HistoryEntry[]): AccountPosition {
    const { tokenAccount } = account;
    const before = this.#options.now() - settlesAfterMs;
    const isSettled = (entry: HistoryEntry): boolean =>
      entry.commitment === 'finalized' && (this.#readAt.get(keyOf(tokenAccount, entry)) ?? before + 1) <= before;
    const position = positionAfter(account, entries, isSettled);
    // What is above the mark comes next.
    if (entries.every(isSettled)) this.#marks.delete(tokenAccount);
    return position;
  }

  /** Reads what a transaction brought. */
  async #creditOf({ account, node, others, deadline }: Reading, entry: HistoryEntry): Promise<Finding> {
    const { history, checkLinks } = this.#options;
    const { signature, slot, blockTime, error, commitment } = entry;
    if (error !== null) return {};
    try {
      const seen = await shownBy(node, account, entry, deadline);
      if (seen === 'none') return {};
      const witnesses = others.slice(0, history.neededSightings - 1);
      const sightings = await Promise.all(witnesses.map((each) => shownBy(each, account, entry, deadline)));
      if (seen === 'not_shown' || sightings.some((other) => Object(other).amount !== seen.amount)) {
        return { fault: `The transaction ${signature} is not shown yet.` };
      }
      await checkLinks(JSON.parse(seen.reference_addresses), slot, deadline);
      const credit = {
        ...seen,
        token_account: account.tokenAccount,
        signature,
        slot: Number(slot),
        block_time: blockTime === null ? null : Number(blockTime),
      };
      // Whether others say that it is final, too, the next scan asks.
      const isFinal = commitment === 'finalized' && witnesses.length === 0;
      return { credit: { ...credit, commitment: isFinal ? 'finalized' : 'confirmed' } };
    } catch (fault) {
      return { fault: faultOf(fault) };
    }
  }

  /** Finds out what became of a credit that was not final, of which a node lists `entry`. */
  async #endOf(
    { node, others, deadline }: Reading,
    credit: CreditRow,
    entry: HistoryEntry | undefined,
  ): Promise<Finding> {
    const { history, checkLinks } = this.#options;
    const isListed = entry?.error === null && entry.slot === BigInt(credit.slot);
    if (isListed && entry.commitment !== 'finalized') return {};
    const isEnough = isListed && history.neededSightings === 1;
    try {
      const witnesses = isEnough ? [] : [node, ...others].slice(0, history.neededDenials);
      const [end = 'final', ...ends] = await Promise.all(witnesses.map((each) => endAt(each, credit, deadline)));
      if (end === 'open' || ends.some((other) => other !== end)) return {};
      await checkLinks(JSON.parse(credit.reference_addresses), BigInt(credit.slot), deadline);
      return end === 'dropped' ? { dropped: credit } : { credit: { ...credit, commitment: 'finalized' } };
    } catch (fault) {
      return { fault: faultOf(fault) };
    }
  }
}

async function shownBy(
  node: NodeHistory,
  account: CreditedAccount,
  { signature, slot }: HistoryEntry,
  deadline: Deadline,
): Promise<SeenCredit | 'none' | 'not_shown'> {
  const landed = await node.readTransaction(signature, deadline);
  return landed?.error === null && landed.slot === slot ? creditIn(account, landed) : 'not_shown';
}

/** Returns how a credit that was not final ended, by one node. */
async function endAt(node: NodeHistory, { signature, slot }: CreditRow, deadline: Deadline) {
  const finalized = await node.readFinalizedHeight(deadline);
  if (finalized.slot < BigInt(slot)) return 'open';
  const [status] = (await node.readStatuses([signature], deadline)).statuses;
  if (!status) return 'dropped';
  if (status.commitment !== 'finalized') return 'open';
  if (status.error !== null) return 'dropped';
  return status.slot === BigInt(slot) ? 'final' : 'open';
}

function keyOf(tokenAccount: Address, { signature, slot }: { signature: string; slot: bigint | number }): string {
  return `${tokenAccount} ${signature} ${slot}`;
}

async function inTurns<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += readsAtOnce) {
    results.push(...(await Promise.all(items.slice(start, start + readsAtOnce).map(act))));
  }
  return results;
}

/** Says what a node or a check could not do; throws everything else. */
function faultOf(error: unknown): string {
  if (error instanceof CannotTell) return 'The history of a node contradicts itself.';
  if (error instanceof AppError) return error.message;
  throw error;
}
