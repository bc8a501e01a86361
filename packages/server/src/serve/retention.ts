import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { utcDayOf } from '../keys/usage/daily-amounts.ts';
import type { PaymentLinks } from '../links/payment-links.ts';
import type { LinkCursor, PaymentLinkStore } from '../links/records/payment-link-store.ts';
import { idOnLedger, type RecordLedger } from '../store/ledger-store.ts';
import { storeFaultOf } from '../store/store-faults.ts';
import type { ServedLedger } from './start-ledger.ts';
import type { Store } from './store/store.ts';

/** What retention works with. */
export interface RetentionParts {
  config: Config;
  store: Store;
  ledger: ServedLedger;
  links: Pick<PaymentLinks, 'read'>;
  logger: Logger;
}

const leaseName = 'retention';
/** How long a process that was killed keeps others from this work. */
const leaseMs = 120_000;
const renewAfterMs = 30_000;

/** Starts to delete expired records; of all processes on the database one does so at a time. */
export function startRetention({ config, store, ledger, links, logger }: RetentionParts): RetentionKeeper {
  const daysOf = (days: number) => (days === 0 ? undefined : days);
  const tasks = createRetentionTasks({
    store,
    ledger: () => ledger.find(),
    days: {
      usage: daysOf(config.usageRetentionDays),
      links: daysOf(config.linkRetentionDays),
      paidLinks: daysOf(config.paidLinkRetentionDays),
    },
    settleLink: (id) => links.read(id, performance.now() + config.requestDeadlineMs),
  });
  return new RetentionKeeper({
    tasks,
    lease: leaseOf(store, ledger),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onFailure: (error) => logger.warn({ reason: storeFaultOf(error) }, 'expired records are not deleted yet'),
  });
}

function leaseOf({ leases, ledgers }: Store, ledger: ServedLedger): RetentionLease {
  const holder = randomUUID();
  let takenAt = Number.NEGATIVE_INFINITY;
  let name: string | undefined;
  return {
    async take() {
      const asked = performance.now();
      if (asked - takenAt < renewAfterMs) return true;
      // One for each ledger: only a service on it can settle its links. Without an upstream nothing can be settled.
      const served = await ledger.find().catch(() => undefined);
      if (!served) return false;
      name = idOnLedger(served, leaseName);
      const isTaken = await leases.take(name, holder, Date.now(), leaseMs);
      takenAt = isTaken ? asked : Number.NEGATIVE_INFINITY;
      if (isTaken) await ledgers.noteSeen(served.genesisHash, Date.now());
      return isTaken;
    },
    release: async () => {
      if (name !== undefined) await leases.release(name, holder);
    },
  };
}

/** How many days each kind is kept; `undefined` for ever. */
export interface RetentionDays {
  usage: number | undefined;
  /** Links without a payment. */
  links: number | undefined;
  paidLinks: number | undefined;
}

type ServedLinks = Pick<PaymentLinkStore, 'prune' | 'pruneIssued' | 'listUnsettled'>;

/** What is kept, and how closed links are asked about once more. */
export interface RetentionTasksOptions {
  store: Pick<Store, 'idempotency' | 'pruneUsage' | 'pruneDailyAmounts' | 'ledgers'> & {
    paymentLinksOf(ledger: RecordLedger): ServedLinks;
  };
  /** The ledger that is served: the links of others are settled and deleted by services on theirs. */
  ledger: () => Promise<RecordLedger>;
  days: RetentionDays;
  /** Asks the chain about a link, and settles it if that is possible. */
  settleLink: (id: string) => Promise<unknown>;
}

const dayMs = 86_400_000;
/** Past days are kept, so that the sums are still there when a clock is set back. */
const dailyAmountDays = 30;
/** A sandbox notes every minute that it is there; a machine may sleep in between. */
const sandboxGoneAfterMs = dayMs;
/** Readers settle an ended link during this time; then this task does. */
const settleAfterMs = 3_600_000;
/** Nodes may not answer, or not know the whole time of a link: it is asked about once a day, for a week. */
const settleEveryMs = dayMs;
const settleForMs = 7 * dayMs;
const linksPerLook = 20;
const maxLinksPerRun = 60;
const pausePerLinkMs = 1_000;

/** Returns the retention tasks of a service. */
export function createRetentionTasks({
  store,
  ledger,
  days,
  settleLink,
}: RetentionTasksOptions): readonly RetentionTask[] {
  const served = async () => store.paymentLinksOf(await ledger());
  const tasks: RetentionTask[] = [
    { step: async (now) => (await store.idempotency.prune(now)) === 0 },
    { step: async () => (await (await served()).pruneIssued()) === 0 },
    { step: async (now) => (await store.pruneDailyAmounts(dayBefore(now, dailyAmountDays))) === 0 },
    { step: async (now) => (await store.ledgers.pruneSandboxes(now - sandboxGoneAfterMs, await ledger())) === 0 },
  ];
  const { usage, links, paidLinks } = days;
  if (usage !== undefined) tasks.push({ step: async (now) => (await store.pruneUsage(dayBefore(now, usage))) === 0 });
  if (links !== undefined) tasks.push(pruningOf(served, 'unpaid', links));
  if (paidLinks !== undefined) tasks.push(pruningOf(served, 'paid', paidLinks));
  if (links !== undefined || paidLinks !== undefined) tasks.push(settlingOf(served, settleLink));
  return tasks;
}

function dayBefore(now: number, days: number): string {
  return utcDayOf(Math.max(0, now - days * dayMs));
}

/** Continues behind the links that are kept, and begins again once a day: what keeps them may have ended. */
function pruningOf(links: () => Promise<ServedLinks>, kind: 'unpaid' | 'paid', days: number) {
  let after: LinkCursor | undefined;
  let begunOn: string | undefined;
  return {
    async step(now: number): Promise<boolean> {
      const today = utcDayOf(now);
      if (begunOn !== today) after = undefined;
      begunOn = today;
      const { next } = await (await links()).prune({
        kind,
        settledBefore: now - days * dayMs,
        ...(after && { after }),
      });
      after = next ?? after;
      return next === undefined;
    },
  };
}

/** Only settled links are deleted, and a link that is not read after its end is settled here. */
function settlingOf(links: () => Promise<ServedLinks>, settleLink: RetentionTasksOptions['settleLink']): RetentionTask {
  let found: string[] = [];
  let afterId = '';
  return {
    pauseMs: pausePerLinkMs,
    maxSteps: maxLinksPerRun,
    async step(now) {
      if (found.length === 0) {
        const times = {
          expiredBefore: now - settleAfterMs,
          checkedBefore: now - settleEveryMs,
          checkedForMs: settleForMs,
        };
        found = [...(await (await links()).listUnsettled({ ...times, afterId, limit: linksPerLook }))];
      }
      const id = found.shift();
      afterId = id ?? '';
      if (id === undefined) return true;
      await settleLink(id);
      return false;
    },
  };
}

/** Records to delete, or links to settle, once they are due. */
export interface RetentionTask {
  /** Does a small part of it at `now`, in milliseconds since the Unix epoch; returns whether nothing is left to do. */
  step(now: number): Promise<boolean>;
  /** The pause after a step that did not finish; by default four times as long as the step took. */
  pauseMs?: number;
  /** How many steps a run may take; by default 500. */
  maxSteps?: number;
}

/** The right to do this work for all processes on a database. */
export interface RetentionLease {
  /** Takes or renews it; false while another process has it. */
  take(): Promise<boolean>;
  release(): Promise<void>;
}

/** The tasks and the clock of a keeper, and its reports. */
export interface RetentionKeeperOptions {
  tasks: readonly RetentionTask[];
  lease: RetentionLease;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** The monotonic clock in milliseconds. */
  elapsed: () => number;
  /** Called once when something cannot be deleted; it is deleted later. */
  onFailure: (error: unknown) => void;
}

const everyMs = 60_000;
const defaultMaxSteps = 500;
/** Four fifths of the time belong to requests. */
const pausePerStep = 4;
const minPauseMs = 20;
const maxPauseMs = 100;

/**
 * Runs the retention tasks when it is made, and again a minute after each run has ended.
 *
 * Works in small steps, so that no request waits long for one, and in one process at a time: the others try to take the lease
 * once a minute.
 */
export class RetentionKeeper {
  readonly #options: RetentionKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #step: Promise<void>;
  #task = 0;
  #steps = 0;
  #hasFailed = false;
  #failedThisRun = false;
  #isClosed = false;

  /** Starts the first run. */
  constructor(options: RetentionKeeperOptions) {
    this.#options = options;
    this.#step = this.#next();
  }

  /** Ends the run, and resolves once no step is under way: the store may then be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#step;
    await this.#options.lease.release().catch(() => undefined);
  }

  async #next(): Promise<void> {
    const waitMs = await this.#waitAfterStep();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#step = this.#next();
    }, waitMs).unref();
  }

  async #waitAfterStep(): Promise<number> {
    const { tasks, lease, now, elapsed } = this.#options;
    const task = tasks[this.#task];
    const startedAt = elapsed();
    let isDone = true;
    try {
      if (!task || !(await lease.take())) return this.#endRun();
      isDone = await task.step(now());
    } catch (error) {
      this.#failedThisRun = true;
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
    }
    this.#steps += 1;
    if (isDone || this.#steps >= (task?.maxSteps ?? defaultMaxSteps)) {
      this.#task += 1;
      this.#steps = 0;
      if (this.#task >= tasks.length) return this.#endRun();
      return minPauseMs;
    }
    const ofStep = pausePerStep * (elapsed() - startedAt);
    return task?.pauseMs ?? Math.min(Math.max(ofStep, minPauseMs), maxPauseMs);
  }

  #endRun(): number {
    this.#task = 0;
    this.#steps = 0;
    if (!this.#failedThisRun) this.#hasFailed = false;
    this.#failedThisRun = false;
    return everyMs;
  }
}
