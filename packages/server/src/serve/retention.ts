import type { Logger } from 'pino';
import { Repeated } from '../app/repeated.ts';
import type { Config } from '../config.ts';
import { utcDayOf } from '../keys/usage/daily-amounts.ts';
import type { PaymentLinks } from '../links/payment-links.ts';
import type { LinkCursor } from '../links/records/prune-links.ts';
import { storeFaultOf } from '../store/store-faults.ts';
import type { ServedCluster } from './served-cluster.ts';
import type { Store } from './store/store.ts';

export interface RetentionParts {
  config: Config;
  store: Store;
  cluster: ServedCluster;
  links: Pick<PaymentLinks, 'read'>;
  logger: Logger;
}

/** Starts to delete expired records; every process on the database does so. */
export function startRetention({ config, store, cluster, links, logger }: RetentionParts): RetentionKeeper {
  const tasks = createRetentionTasks({
    store,
    days: config.retentionDays === 0 ? undefined : config.retentionDays,
    settleLink: (id) => links.read(id, performance.now() + config.requestDeadlineMs),
  });
  return new RetentionKeeper({
    // What is deleted must be of the cluster that is served.
    tasks: tasks.map((task) => ({ ...task, step: (now) => cluster.confirm().then(() => task.step(now)) })),
    now: () => Date.now(),
    onFailure: (error) => logger.warn({ reason: storeFaultOf(error) }, 'expired records are not deleted yet'),
  });
}

/** How long records are kept, and how closed links are asked about once more. */
export interface RetentionTasksOptions {
  store: Pick<Store, 'pruneUsage' | 'pruneDailyAmounts'> & {
    webhooks: { events: Pick<Store['webhooks']['events'], 'prune'> };
    idempotency: Pick<Store['idempotency'], 'prune'>;
    links: Pick<Store['links'], 'prune' | 'pruneIssued' | 'listUnsettled'>;
    incoming: { credits: Pick<Store['incoming']['credits'], 'prune'> };
  };
  /** How many days usage and incoming payments are kept, and a link after it was settled; `undefined` for ever. */
  days: number | undefined;
  /** Asks the chain about a link, and settles it if that is possible. */
  settleLink: (id: string) => Promise<unknown>;
}

const dayMs = 86_400_000;
/** Past days are kept, so that the sums are still there when a clock is set back. */
const dailyAmountDays = 30;
/** Readers settle an ended link during this time; then this task does. */
const settleAfterMs = 3_600_000;
/** Nodes may not answer, or not know the whole time of a link: it is asked about once a day, for a week. */
const settleEveryMs = dayMs;
const settleForMs = 7 * dayMs;
const eventDays = 30;
const linksPerLook = 20;
const maxLinksPerRun = 60;
const pausePerLinkMs = 1_000;

/** Returns the retention tasks of a service. */
export function createRetentionTasks({ store, days, settleLink }: RetentionTasksOptions): readonly RetentionTask[] {
  const tasks: RetentionTask[] = [
    { step: async (now) => (await store.idempotency.prune(now)) === 0 },
    { step: async () => (await store.links.pruneIssued()) === 0 },
    { step: async (now) => (await store.webhooks.events.prune(new Date(now - eventDays * dayMs))) === 0 },
    { step: async (now) => (await store.pruneDailyAmounts(dayBefore(now, dailyAmountDays))) === 0 },
  ];
  if (days === undefined) return tasks;
  return [
    ...tasks,
    { step: async (now) => (await store.pruneUsage(dayBefore(now, days))) === 0 },
    { step: async (now) => (await store.incoming.credits.prune(new Date(now - days * dayMs))) === 0 },
    linkPruning(store.links, days),
    linkSettling(store.links, settleLink),
  ];
}

function dayBefore(now: number, days: number): string {
  return utcDayOf(Math.max(0, now - days * dayMs));
}

/** Continues behind the links that are kept, and begins again once a day: what keeps them may have ended. */
function linkPruning(links: RetentionTasksOptions['store']['links'], days: number): RetentionTask {
  let after: LinkCursor | undefined;
  let begunOn: string | undefined;
  return {
    async step(now) {
      const today = utcDayOf(now);
      if (begunOn !== today) after = undefined;
      begunOn = today;
      const { next } = await links.prune({ settledBefore: now - days * dayMs, ...(after && { after }) });
      after = next ?? after;
      return next === undefined;
    },
  };
}

/** Only settled links are deleted, and a link that is not read after its end is settled here. */
function linkSettling(
  links: RetentionTasksOptions['store']['links'],
  settleLink: RetentionTasksOptions['settleLink'],
): RetentionTask {
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
        found = [...(await links.listUnsettled({ ...times, afterId, limit: linksPerLook }))];
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
  /** The pause after a step that did not finish; by default 50 ms. */
  pauseMs?: number;
  /** How many steps a run may take; by default 500. */
  maxSteps?: number;
}

/** The tasks and the clock of a keeper, and its reports. */
export interface RetentionKeeperOptions {
  tasks: readonly RetentionTask[];
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called once when something cannot be deleted; it is deleted later. */
  onFailure: (error: unknown) => void;
}

const everyMs = 60_000;
const defaultMaxSteps = 500;
/** Many times as long as a step takes: the time between belongs to requests. */
const defaultPauseMs = 50;

/**
 * Runs the retention tasks when it is made, and again a minute after each run has ended.
 *
 * Works in small steps, so that no request waits long for one.
 */
export class RetentionKeeper {
  readonly #options: RetentionKeeperOptions;
  readonly #repeated: Repeated;

  /** Starts the first run. */
  constructor(options: RetentionKeeperOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#repeated = new Repeated({ run: () => this.#runTasks(), everyMs, onFailure });
  }

  /** Ends the run, and resolves once no step is under way: the store may then be closed. */
  close(): Promise<void> {
    return this.#repeated.close();
  }

  async #runTasks(): Promise<void> {
    const errors: unknown[] = [];
    for (const task of this.#options.tasks) await this.#runTask(task).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  async #runTask({ step, maxSteps = defaultMaxSteps, pauseMs = defaultPauseMs }: RetentionTask): Promise<void> {
    for (let steps = 0; steps < maxSteps && !this.#repeated.isClosed; steps += 1) {
      if (await step(this.#options.now())) break;
      await this.#repeated.pause(pauseMs);
    }
  }
}
