import { type Kysely, sql } from 'kysely';
import type { EventDeliveryRow, StoreTables, WebhookEndpointRow } from '../store/schema/tables.ts';
import type { SqlDatabase } from '../store/sql-database.ts';
import { secretsOf } from './endpoint-records.ts';
import { dueAfter, gaveUpAfterMs } from './retry-times.ts';
import type { Attempt, WebhookRequest } from './send-webhook.ts';

/** A delivery to attempt now, which no other process attempts until then. */
export interface TakenDelivery extends WebhookRequest {
  endpointId: string;
  /** Milliseconds since the Unix epoch. */
  takenUntil: number;
}

/** Which deliveries to take. */
export interface Taking {
  /** Milliseconds since the Unix epoch. */
  now: number;
  takenUntil: number;
  /** Whether to take those of endpoints whose last attempt failed, or the others. */
  areFailing: boolean;
  /** At most so many. */
  limit: number;
  /** The owner whose key is in no store. */
  sandboxOwner?: string | undefined;
}

/** How many attempts an endpoint has under way at most; one whose last attempt failed has one. */
export const openPerEndpoint = 4;

/** Which deliveries are due, and what came of them. */
export class DeliveryRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Takes some due deliveries of enabled endpoints whose owners have an accepted key, the longest due first of each endpoint. */
  async take(taking: Taking): Promise<readonly TakenDelivery[]> {
    const { db, whenNotBusy, locksRows } = this.#database;
    if (taking.limit <= 0 || (await dueEndpoints(db, { ...taking, limit: 1 }).execute()).length === 0) return [];
    return whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        // Locked, so that of two replicas only one counts and takes its deliveries.
        const endpoints = await dueEndpoints(transaction, taking)
          .$if(locksRows, (query) => query.forUpdate().skipLocked())
          .execute();
        const taken: TakenDelivery[] = [];
        for (const endpoint of endpoints) {
          if (taken.length < taking.limit) taken.push(...(await takeOf(transaction, endpoint, taking)));
        }
        return taken;
      }),
    );
  }

  /** Notes what came of an attempt, and when the next one is due. An endpoint that wants no more, or failed for three days, is disabled. */
  note({ eventId, endpointId, takenUntil }: TakenDelivery, attempt: Attempt): Promise<void> {
    const { db, whenNotBusy } = this.#database;
    return whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom('event_deliveries')
          .selectAll()
          .where('event_id', '=', eventId)
          .where('endpoint_id', '=', endpointId)
          .executeTakeFirst();
        // It was asked for again meanwhile, or its endpoint was deleted.
        if (row?.due_at !== takenUntil) return;
        const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
        const attempts = [...readAttempts(row), attempt];
        const tried = attempts.filter(({ at }) => at >= row.first_due_at).length;
        const due = isDelivered ? undefined : dueAfter(tried, row.first_due_at, attempt.at);
        await transaction
          .updateTable('event_deliveries')
          .set({
            state: isDelivered ? 'delivered' : due === undefined ? 'failed' : 'waiting',
            due_at: due ?? null,
            taken_until: null,
            attempts: JSON.stringify(attempts.slice(-maxAttemptsKept)),
          })
          .where('event_id', '=', eventId)
          .where('endpoint_id', '=', endpointId)
          .execute();
        await (isDelivered ? noteSuccess(transaction, endpointId) : noteFailure(transaction, endpointId, attempt));
      }),
    );
  }
}

/** More than there are before it is given up, so that only sending again by hand reaches it. */
const maxAttemptsKept = 20;

/** Reads the attempts of a delivery, the oldest first. */
export function readAttempts({ attempts }: Pick<EventDeliveryRow, 'attempts'>): readonly Attempt[] {
  return JSON.parse(attempts);
}

function dueEndpoints(db: Kysely<StoreTables>, { now, areFailing, limit, sandboxOwner }: Taking) {
  const room = areFailing ? 1 : openPerEndpoint;
  return db
    .selectFrom('webhook_endpoints as endpoint')
    .selectAll('endpoint')
    .where('endpoint.disabled_at', 'is', null)
    .where('endpoint.failing_since', areFailing ? 'is not' : 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('event_deliveries as delivery')
          .select('delivery.event_id')
          .whereRef('delivery.endpoint_id', '=', 'endpoint.id')
          .where('delivery.due_at', '<=', now),
      ),
    )
    .where(({ selectFrom }) =>
      sql<boolean>`${selectFrom('event_deliveries as delivery')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('delivery.endpoint_id', '=', 'endpoint.id')
        .where('delivery.taken_until', '>', now)} < ${room}`,
    )
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('endpoint.owner_id', '=', sandboxOwner ?? ''),
        exists(
          selectFrom('api_keys as key')
            .select('key.id')
            .whereRef('key.root_id', '=', 'endpoint.owner_id')
            .where('key.revoked_at', 'is', null)
            .where(({ or, eb }) => or([eb('key.expires_at', 'is', null), eb('key.expires_at', '>', now)])),
        ),
      ]),
    )
    .orderBy(sql`random()`)
    .limit(limit);
}

async function takeOf(
  db: Kysely<StoreTables>,
  endpoint: WebhookEndpointRow,
  { now, takenUntil, areFailing }: Taking,
): Promise<readonly TakenDelivery[]> {
  const { count } = await db
    .selectFrom('event_deliveries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('endpoint_id', '=', endpoint.id)
    .where('taken_until', '>', now)
    .executeTakeFirstOrThrow();
  const room = (areFailing ? 1 : openPerEndpoint) - Number(count);
  if (room <= 0) return [];
  const due = await db
    .selectFrom('event_deliveries as delivery')
    .innerJoin('events as event', 'event.id', 'delivery.event_id')
    .select(['event.id', 'event.body'])
    .where('delivery.endpoint_id', '=', endpoint.id)
    .where('delivery.due_at', '<=', now)
    .orderBy('delivery.due_at')
    .orderBy('event.sequence')
    .limit(room)
    .execute();
  const ids = due.map(({ id }) => id);
  if (ids.length === 0) return [];
  // If this process ends, it is due again at the end of this time.
  await db
    .updateTable('event_deliveries')
    .set({ taken_until: takenUntil, due_at: takenUntil })
    .where('endpoint_id', '=', endpoint.id)
    .where('event_id', 'in', ids)
    .execute();
  const { id: endpointId, url } = endpoint;
  const secrets = secretsOf(endpoint, now);
  return due.map(({ id: eventId, body }) => ({ eventId, endpointId, url, secrets, body, takenUntil }));
}

async function noteSuccess(db: Kysely<StoreTables>, endpointId: string): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ failing_since: null })
    .where('id', '=', endpointId)
    .where('failing_since', 'is not', null)
    .execute();
}

async function noteFailure(db: Kysely<StoreTables>, endpointId: string, attempt: Attempt): Promise<void> {
  const endpoint = await db
    .updateTable('webhook_endpoints')
    .set(({ fn, ref }) => ({ failing_since: fn.coalesce(ref('failing_since'), sql<number>`${attempt.at}`) }))
    .where('id', '=', endpointId)
    .returning('failing_since')
    .executeTakeFirst();
  const since = endpoint?.failing_since ?? attempt.at;
  const isGone = attempt.status === 410;
  if (!isGone && attempt.at - since < gaveUpAfterMs) return;
  const reason = isGone
    ? 'It answered 410: it wants no more events.'
    : `Every attempt since ${new Date(since).toISOString()} failed, the last one with ${describeFailure(attempt)}.`;
  await db
    .updateTable('webhook_endpoints')
    .set({ disabled_at: attempt.at, disabled_reason: reason })
    .where('id', '=', endpointId)
    .where('disabled_at', 'is', null)
    .execute();
}

/** The status of an answer, or why there was none. */
export function describeFailure({ status, error }: Attempt): string {
  return status === null ? (error ?? 'no answer') : `status ${status}`;
}
