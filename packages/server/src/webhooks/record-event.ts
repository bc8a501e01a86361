import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { EventRow, StoreTables } from '../store/schema/tables.ts';
import { takes } from './endpoint-records.ts';
import type { EventType, testEventType } from './event-types.ts';

/** What happened to an object of a client. */
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
 * Of an owner without endpoints nothing is recorded. The caller has locked the object, so that its events have one order.
 */
export async function recordEvent(db: Transaction<StoreTables>, event: NewEvent): Promise<void> {
  const endpoints = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'types', 'disabled_at'])
    .where('owner_id', '=', event.ownerId)
    .execute();
  if (endpoints.length === 0) return;
  const row = await insertEvent(db, event);
  const takers = endpoints.filter((endpoint) => endpoint.disabled_at === null && takes(endpoint, event.type));
  await addDeliveries(db, row.id, takers.map(({ id }) => id), event.at);
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
    body: JSON.stringify({ type, timestamp: new Date(at).toISOString(), sequence, data }),
    created_at: at,
  };
  await db.insertInto('events').values(row).execute();
  return row;
}

/** Makes an event due at once for some endpoints, also for those that had it before. */
export async function addDeliveries(
  db: Transaction<StoreTables>,
  eventId: string,
  endpointIds: readonly string[],
  at: number,
): Promise<void> {
  if (endpointIds.length === 0) return;
  const due = { state: 'waiting', due_at: at, first_due_at: at } as const;
  await db
    .insertInto('event_deliveries')
    .values(
      endpointIds.map((endpointId) => ({
        event_id: eventId,
        endpoint_id: endpointId,
        ...due,
        taken_until: null,
        attempts: '[]',
      })),
    )
    .onConflict((conflict) => conflict.columns(['event_id', 'endpoint_id']).doUpdateSet(due))
    .execute();
}
