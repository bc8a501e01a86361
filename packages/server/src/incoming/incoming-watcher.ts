import { LRUCache } from 'lru-cache';
import type { Address } from 'splwright-core';
import type { ChainHistory, HistoryEntry, NodeHistory } from '../chain/chain-history.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import { type AccountScan, type ListedCredit, scanAccount } from './scan-account.ts';
import type { ScanRecords, TakenAccount } from './scan-records.ts';

/** What the watcher works with. */
export interface IncomingWatcherOptions {
  records: ScanRecords;
  history: ChainHistory;
  /** Resolves when the database is of the cluster that is served. */
  confirmCluster: () => Promise<void>;
  /** Asks the chain about a payment link, whatever is known of it; rejects when that fails. */
  checkLink: (id: string, deadline: Deadline) => Promise<void>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called once when the database does not answer. */
  onFailure: (error: unknown) => void;
}

/** How often the history of each token account is read. */
const intervalMs = 2_000;
const lookEveryMs = 250;
const watchLinksEveryMs = 1_000;
const scanTimeoutMs = 15_000;
const leaseMs = scanTimeoutMs + 5_000;
const scansAtOnce = 32;
const linksPerEnd = 10;
/** A link is settled five minutes after its end at the earliest. */
const settlesAfterMs = 5 * 60_000;
const checkedAgainAfterMs = 60_000;

// A node may leave something out that the next one shows: what is older than this was listed by several.
const overlapSlots = 300n;
const maxExamined = 200_000;

/** Finds what arrives in watched token accounts, and has payment links checked that it may be for. Every process on the database does so. */
export class IncomingWatcher {
  readonly #options: IncomingWatcherOptions;
  readonly #examined = new LRUCache<string, true>({ max: maxExamined });
  readonly #scans = new Set<Promise<void>>();
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #watchedLinksAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #isClosed = false;

  /** Begins. */
  constructor(options: IncomingWatcherOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Ends, once what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#look;
    await Promise.all(this.#scans);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#look = this.#lookOnce();
    }, lookEveryMs).unref();
  }

  async #lookOnce(): Promise<void> {
    const { records, now, confirmCluster, onFailure } = this.#options;
    try {
      await confirmCluster();
      const at = now();
      if (at - this.#watchedLinksAt >= watchLinksEveryMs || at < this.#watchedLinksAt) {
        this.#watchedLinksAt = at;
        await records.watchLinks(at);
        await this.#checkEnded(at);
      }
      for (const account of await records.take(at, at + leaseMs, scansAtOnce - this.#scans.size)) {
        const scan = this.#scan(account, at).finally(() => this.#scans.delete(scan));
        this.#scans.add(scan);
      }
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed && !(error instanceof UpstreamFault)) onFailure(error);
      this.#hasFailed = true;
    }
    this.#schedule();
  }

  /** Links that have ended are asked about until they are settled: only then it is certain that nothing arrives any more. */
  async #checkEnded(at: number): Promise<void> {
    const { records, checkLink } = this.#options;
    const ids = await records.endedLinks({
      endedBefore: at - settlesAfterMs,
      checkedBefore: at - checkedAgainAfterMs,
      limit: linksPerEnd,
    });
    const deadline = performance.now() + scanTimeoutMs;
    for (const id of ids) await checkLink(id, deadline).catch(() => undefined);
  }

  async #scan(account: TakenAccount, at: number): Promise<void> {
    const { records, onFailure } = this.#options;
    const dueAt = at + intervalMs;
    const deadline = performance.now() + scanTimeoutMs;
    try {
      const found = await this.#read(account, deadline);
      // Before it is noted that they were seen: a link whose check fails is checked again with the next scan.
      await this.#checkLinks(found.credits, deadline);
      await records.save(account, { ...found, at, dueAt });
      for (const entry of found.entries) this.#examined.set(keyOf(account, entry), true);
    } catch (error) {
      const fault = error instanceof UpstreamFault ? error.message : 'It could not be read or stored.';
      if (!(error instanceof UpstreamFault)) onFailure(error);
      await records.fail(account, fault, dueAt).catch(onFailure);
    }
  }

  async #read(account: TakenAccount, deadline: Deadline) {
    const nodes = this.#nodesInTurn();
    const scans = await Promise.all(
      nodes.slice(0, this.#options.history.neededSightings).map((node) => this.#scanAt(node, account, deadline)),
    );
    const [first, ...others] = scans;
    if (!first) throw new Error('no node is configured');
    const credits = first.credits.filter((credit) => others.every((scan) => shows(scan, credit)));
    const hidden = new Set([...first.hidden, ...first.credits.filter((credit) => !credits.includes(credit)).map(({ signature }) => signature)]);
    const dropped = first.isWhole && account.resumeBefore === null ? await this.#droppedOf(account, first.entries, deadline) : [];
    const entries = first.entries.filter(({ signature, commitment }) => !hidden.has(signature) && commitment !== 'processed');
    return { credits, dropped, entries, position: positionAfter(account, first, hidden) };
  }

  async #scanAt(node: NodeHistory, account: TakenAccount, deadline: Deadline): Promise<AccountScan> {
    return scanAccount(node, account, account, (entry) => this.#examined.has(keyOf(account, entry)), deadline);
  }

  /** The nodes, each one first in its turn: what one leaves out the next may show. Those that likely fail come last. */
  #nodesInTurn(): readonly NodeHistory[] {
    const nodes = this.#options.history.nodes();
    this.#turn += 1;
    const start = this.#turn % Math.max(1, nodes.length);
    return [...nodes.slice(start), ...nodes.slice(0, start)];
  }

  async #checkLinks(credits: readonly ListedCredit[], deadline: Deadline): Promise<void> {
    const { records, checkLink } = this.#options;
    const references = new Set<Address>(credits.flatMap((credit) => credit.references));
    if (references.size === 0) return;
    for (const id of await records.linksOf([...references])) await checkLink(id, deadline);
  }

  /** Stored credits that are not final and that enough nodes deny: their slots are final, and their ledgers do not have them. */
  async #droppedOf(
    { unfinished }: TakenAccount,
    entries: readonly HistoryEntry[],
    deadline: Deadline,
  ): Promise<readonly string[]> {
    const listed = new Map(entries.map((entry) => [entry.signature, entry]));
    const missing = unfinished.filter(({ signature }) => listed.get(signature)?.error !== null);
    if (missing.length === 0) return [];
    const { history } = this.#options;
    const nodes = history.nodes().slice(0, history.neededDenials);
    const dropped: string[] = [];
    for (const { signature, slot } of missing) {
      const denials = await Promise.all(nodes.map((node) => denies(node, signature, slot, deadline)));
      if (denials.length >= history.neededDenials && denials.every((isDenied) => isDenied)) dropped.push(signature);
    }
    return dropped;
  }
}

// Once more when it is final: a fork may have executed it with another result.
function keyOf({ tokenAccount }: TakenAccount, { signature, commitment }: Pick<HistoryEntry, 'signature' | 'commitment'>): string {
  return `${tokenAccount} ${signature} ${commitment === 'finalized'}`;
}

function shows({ credits }: AccountScan, { signature, slot, amount }: ListedCredit): boolean {
  return credits.some((each) => each.signature === signature && each.slot === slot && each.amount === amount);
}

async function denies(node: NodeHistory, signature: string, slot: bigint, deadline: Deadline): Promise<boolean> {
  const finalized = await node.readFinalizedHeight(deadline);
  if (finalized.slot < slot) return false;
  const { statuses } = await node.readStatuses([signature], deadline);
  const [status] = statuses;
  return status === null || (status?.error ?? null) !== null;
}

/** How far the list is known after a scan. */
function positionAfter(
  { knownSignature, resumeBefore, resumeNewest }: TakenAccount,
  { entries, isWhole }: AccountScan,
  hidden: ReadonlySet<string>,
): Pick<TakenAccount, 'knownSignature' | 'resumeBefore' | 'resumeNewest'> {
  const stays = { knownSignature, resumeBefore, resumeNewest };
  const isOpen = ({ signature, commitment }: HistoryEntry): boolean => commitment !== 'finalized' || hidden.has(signature);
  if (!isWhole) {
    // What is not read yet is read before it goes on.
    if (hidden.size > 0) return stays;
    const newest = resumeBefore === null ? entries.find((entry) => !isOpen(entry)) : undefined;
    const oldest = entries.at(-1);
    return { knownSignature, resumeBefore: oldest?.signature ?? null, resumeNewest: resumeNewest ?? newest?.signature ?? null };
  }
  if (resumeBefore !== null) {
    if (hidden.size > 0) return stays;
    return { knownSignature: resumeNewest ?? knownSignature, resumeBefore: null, resumeNewest: null };
  }
  const newestSlot = entries[0]?.slot ?? 0n;
  const firstOpen = entries.findLastIndex(isOpen);
  const known = entries.slice(firstOpen + 1).find(({ slot }) => slot + overlapSlots <= newestSlot);
  return { knownSignature: known?.signature ?? knownSignature, resumeBefore: null, resumeNewest: null };
}
