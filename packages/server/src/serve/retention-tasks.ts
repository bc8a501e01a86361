import { utcDayOf } from '../keys/usage/daily-amounts.ts';
import type { LinkCursor, PaymentLinkStore } from '../links/records/payment-link-store.ts';
import type { RecordLedger } from '../store/ledgers/ledger-store.ts';
import type { Store } from '../store/store.ts';
import type { RetentionTask } from './retention-keeper.ts';

/** How many days each kind is kept; `undefined` for ever. */
export interface RetentionDays {
  usage: number | undefined;
  /** Links that nobody paid. */
  links: number | undefined;
  paidLinks: number | undefined;
}

type ServedLinks = Pick<PaymentLinkStore, 'prune' | 'listUnsettled'>;

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

/** Makes the tasks of a service: what it deletes, and when. */
export function createRetentionTasks({
  store,
  ledger,
  days,
  settleLink,
}: RetentionTasksOptions): readonly RetentionTask[] {
  const served = async () => store.paymentLinksOf(await ledger());
  const tasks: RetentionTask[] = [
    { step: async (now) => (await store.idempotency.prune(now)) === 0 },
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

/** Only what is settled is ever deleted, and nobody may look at a link after its end. */
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
