import { type Kysely, sql } from 'kysely';
import { sandboxKeyId } from '../keys/authenticated-key.ts';
import { activeOwners } from '../keys/records/key-rows.ts';
import type { EventDeliveryRow, StoreTables, WebhookEndpointRow } from '../store/schema/tables.ts';
import { inTransaction, type SqlDatabase } from '../store/sql-database.ts';
import type { Attempt, WebhookRequest } from './send-webhook.ts';

/** A delivery to attempt now, which no other process attempts until then. */
export interface TakenDelivery extends WebhookRequest {
  endpointId: string;
  /** Milliseconds since the Unix epoch. */
  takenUntil: number;
}

const openPerEndpoint = 4;

/** Which deliveries are due, and what came of them. Times are milliseconds since the Unix epoch. */
export class DeliveryRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /**
   * Takes due deliveries of some enabled endpoints whose owners have an accepted key, the longest due first of each.
   *
   * Each has four under way at most, and one while it fails. `limit`: of how many endpoints, and how many deliveries but for three.
   */
  async take(now: number, takenUntil: number, limit: number): Promise<readonly TakenDelivery[]> {
    if (limit <= 0) return [];
    return inTransaction(this.#database, async (db) => {
      // Locked, so that of two replicas only one counts and takes its deliveries.
      const endpoints = await dueEndpoints(db, now, limit)
        .$if(this.#database.locksRows, (query) => query.forUpdate().skipLocked())
        .execute();
      const taken: TakenDelivery[] = [];
      for (const endpoint of endpoints) {
        if (taken.length < limit)
          taken.push(...(await takeOf(db, this.#database.locksRows, endpoint, now, takenUntil)));
      }
      return taken;
    });
  }

  /** The secrets that sign what is sent to an endpoint at `now`; `undefined` when nothing may be sent to it any more. */
  async secretsOf(endpointId: string, now: number): Promise<readonly string[] | undefined> {
    const endpoints = openEndpoints(this.#database.db, now).where('endpoint.id', '=', endpointId);
    const {
      secret,
      previous_secret: previous,
      previous_secret_until: until,
    } = (await endpoints.executeTakeFirst()) ?? {};
    if (secret === undefined) return undefined;
    return previous && now < (until ?? 0) ? [secret, previous] : [secret];
  }

  /**
   * Notes what came of an attempt, and when the next one is due.
   *
   * An endpoint is disabled that wants no more, or that took nothing as long as an event was tried that is given up now.
   */
  note({ eventId, endpointId, takenUntil }: TakenDelivery, attempt: Attempt): Promise<void> {
    return inTransaction(this.#database, async (db) => {
      const failingSince = await noteOfEndpoint(db, endpointId, attempt);
      if (attempt.status === 410) {
        await disable(db, endpointId, attempt.at, 'It answered 410: it wants no more events.');
      }
      const row = await db
        .selectFrom('event_deliveries')
        .selectAll()
        .where('event_id', '=', eventId)
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst();
      if (!row) return;
      const attempts = [...readAttempts(row), attempt];
      const tried = attempts.filter(({ at }) => at >= row.first_due_at);
      const firstAt = tried[0]?.at ?? attempt.at;
      const due = isDelivered(attempt) ? undefined : dueAfter(tried.length, firstAt, attempt.at);
      await db
        .updateTable('event_deliveries')
        .set({
          state: isDelivered(attempt) ? 'delivered' : due === undefined ? 'failed' : 'waiting',
          due_at: due ?? null,
          taken_until: null,
          attempts: JSON.stringify(attempts.slice(-maxAttemptsKept)),
        })
        .where('event_id', '=', eventId)
        .where('endpoint_id', '=', endpointId)
        // Otherwise it was asked for again meanwhile, and is due.
        .where('due_at', '=', takenUntil)
        .execute();
      if (due !== undefined || failingSince === undefined || failingSince > firstAt) return;
      const last = attempt.status === null ? attempt.error : `status ${attempt.status}`;
      const since = new Date(failingSince).toISOString();
      await disable(db, endpointId, attempt.at, `Every attempt since ${since} failed, the last one with ${last}.`);
    });
  }
}

/** More than there are before it is given up, so that only sending again by hand reaches it. */
const maxAttemptsKept = 20;

/** Reads the attempts of a delivery, the oldest first. */
export function readAttempts({ attempts }: Pick<EventDeliveryRow, 'attempts'>): readonly Attempt[] {
  return JSON.parse(attempts);
}

/** The endpoints that may be sent something at `now`. */
function openEndpoints(db: Kysely<StoreTables>, now: number) {
  return db
    .selectFrom('webhook_endpoints as endpoint')
    .selectAll('endpoint')
    .where('endpoint.disabled_at', 'is', null)
    .where(({ or, eb }) =>
      // The key of a sandbox is in no store.
      or([eb('endpoint.owner_id', '=', sandboxKeyId), eb('endpoint.owner_id', 'in', activeOwners(db, new Date(now)))]),
    );
}

/** Those of which more is due, and fewer are under way than may be. */
function dueEndpoints(db: Kysely<StoreTables>, now: number, limit: number) {
  const deliveries = db
    .selectFrom('event_deliveries as delivery')
    .whereRef('delivery.endpoint_id', '=', sql.ref('endpoint.id'));
  const due = deliveries.where('delivery.due_at', '<=', now).select('delivery.event_id');
  const underWay = deliveries.where('delivery.taken_until', '>', now).select(({ fn }) => fn.countAll().as('count'));
  return (
    openEndpoints(db, now)
      .where(({ exists }) => exists(due))
      .where(
        sql<boolean>`(${underWay}) < case when endpoint.failing_since is null then ${sql.lit(openPerEndpoint)} else 1 end`,
      )
      // Those that fail come last: however many hang, the others are served.
      .orderBy(sql`endpoint.failing_since is not null`)
      .orderBy(sql`random()`)
      .limit(limit)
  );
}

async function takeOf(
  db: Kysely<StoreTables>,
  locksRows: boolean,
  { id: endpointId, url, failing_since }: WebhookEndpointRow,
  now: number,
  takenUntil: number,
): Promise<readonly TakenDelivery[]> {
  const { count } = await db
    .selectFrom('event_deliveries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('endpoint_id', '=', endpointId)
    .where('taken_until', '>', now)
    .executeTakeFirstOrThrow();
  const free = (failing_since === null ? openPerEndpoint : 1) - Number(count);
  if (free <= 0) return [];
  const due = await db
    .selectFrom('event_deliveries as delivery')
    .innerJoin('events as event', 'event.id', 'delivery.event_id')
    .select(['event.id', 'event.body'])
    .where('delivery.endpoint_id', '=', endpointId)
    .where('delivery.due_at', '<=', now)
    .orderBy('delivery.due_at')
    .orderBy('event.sequence')
    .limit(free)
    // What is sent again at this moment is due a moment later: of two that wait for each other PostgreSQL ends one.
    .$if(locksRows, (query) => query.forUpdate(['delivery']).skipLocked())
    .execute();
  const ids = due.map(({ id }) => id);
  if (ids.length === 0) return [];
  // If this process ends, it is due again at the end of this time.
  await db
    .updateTable('event_deliveries')
    .set({ taken_until: takenUntil, due_at: takenUntil })
    .where('endpoint_id', '=', endpointId)
    .where('event_id', 'in', ids)
    .execute();
  return due.map(({ id: eventId, body }) => ({ eventId, endpointId, url, body, takenUntil }));
}

function isDelivered({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns since when the endpoint takes nothing, in milliseconds since the Unix epoch; `undefined` when it took this. */
async function noteOfEndpoint(
  db: Kysely<StoreTables>,
  endpointId: string,
  attempt: Attempt,
): Promise<number | undefined> {
  const update = db.updateTable('webhook_endpoints').where('id', '=', endpointId);
  if (isDelivered(attempt)) {
    await update.set({ failing_since: null }).where('failing_since', 'is not', null).execute();
    return undefined;
  }
  const row = await update
    .set(({ fn, ref }) => ({ failing_since: fn.coalesce(ref('failing_since'), sql<number>`${attempt.at}`) }))
    .returning('failing_since')
    .executeTakeFirst();
  return row?.failing_since ?? undefined;
}

async function disable(db: Kysely<StoreTables>, endpointId: string, at: number, reason: string): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ disabled_at: at, disabled_reason: reason })
    .where('id', '=', endpointId)
    .where('disabled_at', 'is', null)
    .execute();
}

const minute = 60_000;
const hour = 60 * minute;
const delaysMs: readonly number[] = [5_000, minute, 5 * minute, 30 * minute, 2 * hour];
const lastDelayMs = 6 * hour;

/** How long an event is tried for one endpoint, from the first attempt on: this service, or its owner's key, may have been away before. */
const gaveUpAfterMs = 72 * hour;

/** Returns when an event is due again after so many attempts that failed, the last one `at`; `undefined` when it is given up. */
function dueAfter(attempts: number, firstAt: number, at: number): number | undefined {
  const due = at + (delaysMs[attempts - 1] ?? lastDelayMs);
  return due - firstAt > gaveUpAfterMs ? undefined : due;
}
