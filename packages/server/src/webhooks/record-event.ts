import { randomBytes } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { EventRow, StoreTables, WebhookEndpointRow } from '../store/schema/tables.ts';
import type { EventType, testEventType } from './event-types.ts';

export interface NewEvent {
  ownerId: string;
  type: EventType | typeof testEventType;
  objectId: string;
  /** As the reply of the object's own GET has it. */
  data: object;
  /** Milliseconds since the Unix epoch. */
  at: number;
}

/**
 * Records an event in the transaction of what it tells, and that it is to be sent to the endpoints of its owner which take its type.
 *
 * Of an owner without endpoints nothing is recorded. Events of one object have one order: where the caller has not locked it, the second of
 * two transactions that record one at the same moment is rejected.
 */
export async function recordEvent(db: Transaction<StoreTables>, event: NewEvent): Promise<void> {
  const endpoint = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('owner_id', '=', event.ownerId)
    .limit(1)
    .executeTakeFirst();
  if (endpoint) await addDeliveries(db, await insertEvent(db, event), event.at);
}

/** Stores an event, which nobody is sent. */
export async function insertEvent(db: Transaction<StoreTables>, event: NewEvent): Promise<EventRow> {
  const { type, ownerId, objectId, data, at } = event;
  const last = await db
    .selectFrom('events')
    .select('sequence')
    .where('object_id', '=', objectId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  // Rises also after older events of the object were deleted, and tells nobody how many others there are.
  const sequence = Math.max(at, (last?.sequence ?? 0) + 1);
  const row: EventRow = {
    id: `evt_${randomBytes(12).toString('hex')}`,
    owner_id: ownerId,
    type,
    object_id: objectId,
    sequence,
    metadata: 'metadata' in data ? JSON.stringify(data.metadata) : null,
    body: JSON.stringify({ type, timestamp: new Date(at).toISOString(), sequence, data }),
    created_at: at,
  };
  await db.insertInto('events').values(row).execute();
  return row;
}

/** Makes an event due at once for every enabled endpoint of its owner that takes its type, also for those that had it before. */
export async function addDeliveries(db: Transaction<StoreTables>, event: EventRow, at: number): Promise<void> {
  for (const id of await takersOf(db, event.owner_id, [event.type])) await addDelivery(db, event.id, id, at);
}

/** The ids of the enabled endpoints of an owner that take events of one of these types. */
export async function takersOf(
  db: Kysely<StoreTables>,
  ownerId: string,
  types: readonly string[],
): Promise<readonly string[]> {
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'types'])
    .where('owner_id', '=', ownerId)
    .where('disabled_at', 'is', null)
    .execute();
  return endpoints
    .filter((endpoint) => readTypes(endpoint.types)?.some((type) => types.includes(type)) ?? true)
    .map(({ id }) => id);
}

/** Makes an event due at once for one endpoint. */
export async function addDelivery(
  db: Transaction<StoreTables>,
  eventId: string,
  endpointId: string,
  at: number,
): Promise<void> {
  const due = { state: 'waiting', due_at: at, first_due_at: at } as const;
  await db
    .insertInto('event_deliveries')
    .values({ event_id: eventId, endpoint_id: endpointId, ...due, taken_until: null, attempts: '[]' })
    .onConflict((conflict) => conflict.columns(['event_id', 'endpoint_id']).doUpdateSet(due))
    .execute();
}

/** Reads the types of events that an endpoint takes; `null` for all. */
export function readTypes(types: WebhookEndpointRow['types']): string[] | null {
  return types === null ? null : JSON.parse(types);
}

/** Deletes events, with what was said of their deliveries. */
export async function deleteEvents(db: Transaction<StoreTables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('event_deliveries').where('event_id', 'in', ids).execute();
  await db.deleteFrom('events').where('id', 'in', ids).execute();
}

/** Deletes the test events of an endpoint but for the newest ones, of which so many are kept. */
export async function deleteTestEvents(db: Transaction<StoreTables>, endpointId: string, kept: number): Promise<void> {
  const events = await db
    .selectFrom('events')
    .select('id')
    .where('object_id', '=', endpointId)
    .orderBy('sequence', 'desc')
    .limit(200)
    .offset(kept)
    .execute();
  await deleteEvents(
    db,
    events.map(({ id }) => id),
  );
}
