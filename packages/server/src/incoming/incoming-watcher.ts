import { LRUCache } from 'lru-cache';
import type { Address } from 'splwright-core';
import { Places } from '../app/places.ts';
import { Repeated } from '../app/repeated.ts';
import { Work } from '../app/work.ts';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { tooSlow } from '../chain/upstream-faults.ts';
import { AccountScanner } from './account-scanner.ts';
import type { TakenAccount, WatchedAccounts } from './watched-accounts.ts';

export interface IncomingWatcherOptions {
  accounts: WatchedAccounts;
  reader: Pick<ChainReader, 'readAccounts'>;
  history: ChainHistory;
  /** Resolves when the database is of the cluster that is served. */
  confirmCluster: () => Promise<void>;
  /** Asks nodes that have reached `minSlot` about a payment link, whatever is known of it; rejects when that fails. */
  checkLink: (id: string, minSlot: bigint, deadline: Deadline) => Promise<void>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called once when the database does not answer. */
  onFailure: (error: unknown) => void;
}

/** How often each token account is looked at, all of them at the same moments: up to a hundred are read in one call. */
const intervalMs = 2_000;
const maxPerCall = 100;
const scansAtOnce = 32;
/** For how long its history is read after an account has changed: another node may list that later. */
const listedWithinMs = 10_000;
/** How often, on average, the history of an account is read that does not change: what arrives may be sent on at once. */
const sweepMs = 60_000;
const lookEveryMs = 250;
const updateEveryMs = 1_000;
const maxStates = 100_000;
const readTimeoutMs = 2_000;
const checkTimeoutMs = 15_000;
const linksPerEnd = 10;
/** A link is settled five minutes after its end at the earliest. */
const settlesAfterMs = 5 * 60_000;
const checkedAgainAfterMs = 60_000;

/** Finds what arrives in watched token accounts, and has payment links checked that it may be for. Every process on the database does so. */
export class IncomingWatcher {
  readonly #options: IncomingWatcherOptions;
  readonly #scanner: AccountScanner;
  /** The scans under way, by token account. */
  readonly #scans = new Map<Address, Promise<void>>();
  /** The content of each token account when it was last looked at, and since when. */
  // With `max` the cache would take the memory of all entries at once.
  readonly #states = new LRUCache<Address, { data: string; changedAt: number }>({
    maxSize: maxStates,
    sizeCalculation: () => 1,
  });
  readonly #places = new Places(scansAtOnce);
  readonly #repeated: Repeated;
  #ended: Promise<void> | undefined;
  #updatedAt = Number.NEGATIVE_INFINITY;

  /** Begins. */
  constructor(options: IncomingWatcherOptions) {
    this.#options = options;
    const { accounts, history, checkLink, now, onFailure } = options;
    const checkLinks = async (references: readonly Address[], slot: bigint, deadline: Deadline) => {
      for (const id of await accounts.linksOf(references)) await checkLink(id, slot, deadline);
    };
    this.#scanner = new AccountScanner({ history, checkLinks, now });
    this.#repeated = new Repeated({ run: () => this.#lookOnce(), everyMs: lookEveryMs, onFailure });
  }

  /** Ends, once what is under way has ended; scans that wait are left for the next process. */
  async close(): Promise<void> {
    await this.#repeated.close();
    await Promise.all([...this.#scans.values(), this.#ended]);
  }

  async #lookOnce(): Promise<void> {
    const { accounts, now, confirmCluster } = this.#options;
    await confirmCluster();
    const at = now();
    // Also after a clock was set back.
    if (Math.abs(at - this.#updatedAt) >= updateEveryMs) {
      this.#updatedAt = at;
      await accounts.update(at);
      this.#ended ??= this.#orNote(this.#checkEnded(at)).finally(() => {
        this.#ended = undefined;
      });
    }
    const dueAt = Math.floor(at / intervalMs + 1) * intervalMs;
    for (let more = true; more && !this.#repeated.isClosed; ) {
      const taken = await accounts.take({ now: at, dueAt, limit: maxPerCall });
      more = taken.length === maxPerCall;
      for (const account of await this.#changedAmong(taken)) this.#begin(account);
    }
  }

  /** The accounts whose histories may have something new: those that changed a short time ago, or of which something is open. */
  async #changedAmong(taken: readonly TakenAccount[]): Promise<readonly TakenAccount[]> {
    if (taken.length === 0) return [];
    const { reader, now } = this.#options;
    const addresses = taken.map(({ tokenAccount }) => tokenAccount);
    const read = await reader.readAccounts(addresses, performance.now() + readTimeoutMs).catch(() => undefined);
    if (!read) return taken;
    const at = now();
    return taken.filter(({ tokenAccount, unfinished, fault }, index) => {
      // Of a wallet, whose SOL is watched, the lamports change alone.
      const { lamports = 0n, data: bytes = [] } = read.accounts[index] ?? {};
      const data = `${lamports} ${Buffer.from(bytes).toString('base64')}`;
      const known = this.#states.get(tokenAccount);
      const state = known?.data === data ? known : { data, changedAt: at };
      this.#states.set(tokenAccount, state);
      const isOpen = at - state.changedAt < listedWithinMs || unfinished.length > 0 || fault !== null;
      return isOpen || Math.random() < intervalMs / sweepMs;
    });
  }

  #begin(account: TakenAccount): void {
    const { tokenAccount } = account;
    // One that takes longer than the interval is due again meanwhile.
    if (this.#scans.has(tokenAccount) || this.#repeated.isClosed) return;
    const work = new Work({ isClientGone: () => this.#repeated.isClosed });
    const scan = this.#orNote(this.#places.run('', work, tooSlow, () => this.#scan(account)));
    this.#scans.set(
      tokenAccount,
      scan.finally(() => this.#scans.delete(tokenAccount)),
    );
  }

  async #scan(account: TakenAccount): Promise<void> {
    const { accounts, now } = this.#options;
    const scan = await this.#scanner.scan(account);
    const hasMoved = scan.position.floorSlot !== account.floorSlot;
    const isNews = scan.credits.length + scan.dropped.length > 0 || scan.fault !== account.fault;
    // A scan that finds nothing writes nothing.
    if (hasMoved || isNews || scan.isMore) await accounts.save(account.tokenAccount, scan, now());
    this.#scanner.keep(account, scan);
  }

  /** Links that have ended are asked about until they are settled: only then it is certain that nothing arrives any more. */
  async #checkEnded(at: number): Promise<void> {
    const { accounts, checkLink } = this.#options;
    const times = { endedBefore: at - settlesAfterMs, checkedBefore: at - checkedAgainAfterMs };
    const deadline = performance.now() + checkTimeoutMs;
    for (const id of await accounts.endedLinks({ ...times, limit: linksPerEnd })) {
      await checkLink(id, 0n, deadline).catch(() => undefined);
    }
  }

  async #orNote(action: Promise<void>): Promise<void> {
    await action.catch((error: unknown) => this.#repeated.fail(error));
  }
}
