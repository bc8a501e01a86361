import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { PaymentLinks } from '../links/payment-links.ts';
import { idOnLedger } from '../store/ledgers/ledger-store.ts';
import { storeFaultOf } from '../store/sql/store-faults.ts';
import type { Store } from '../store/store.ts';
import { RetentionKeeper, type RetentionLease } from './retention-keeper.ts';
import { createRetentionTasks } from './retention-tasks.ts';
import type { ServedLedger } from './start-ledger.ts';

/** What is deleted when its time has come, and how links are settled before. */
export interface RetentionParts {
  config: Config;
  store: Store;
  ledger: ServedLedger;
  links: Pick<PaymentLinks, 'read'>;
  logger: Logger;
}

const leaseName = 'retention';
/** A process that was killed keeps others from this work for so long. */
const leaseMs = 120_000;
const renewAfterMs = 30_000;

/** Starts to delete what has been kept for long enough, as one of all processes on the database. */
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
