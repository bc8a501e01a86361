import { type Kysely, type SqlBool, sql } from 'kysely';
import type { ListPage } from '../app/list-cursor.ts';
import { metadataPair } from '../app/metadata.ts';
import type { EventDeliveryRow, EventRow, StoreTables } from '../store/schema/tables.ts';
import { inTransaction, type SqlDatabase } from '../store/sql-database.ts';
import { testEventType } from './event-types.ts';
import { addDeliveries, addDelivery, deleteEvents, deleteTestEvents, insertEvent } from './record-event.ts';

/** Something that happened, and to whom it was told. */
export interface StoredEvent extends EventRow {
  deliveries: readonly EventDeliveryRow[];
}

/** Which events to list; what is left out does not matter. */
export interface EventQuery extends ListPage {
  type?: string;
  object?: string;
  metadata?: string;
}

const eventsPerPrune = 200;
/** Of each endpoint: as often as it is asked for, what is stored stays small. */
const testEventsKept = 20;

/** The events of clients, which are kept for 30 days. */
export class EventRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** The events of an owner, the newest first. */
  async list(ownerId: string, { type, object, metadata, before, limit }: EventQuery): Promise<readonly StoredEvent[]> {
    const { db } = this.#database;
    let query = db.selectFrom('events').selectAll().where('owner_id', '=', ownerId);
    if (type !== undefined) query = query.where('type', '=', type);
    if (object !== undefined) query = query.where('object_id', '=', object);
    if (metadata !== undefined) {
      query = query.where(sql<SqlBool>`replace(metadata, ${metadataPair(metadata)}, '') <> metadata`);
    }
    if (before) {
      const { createdAt, id } = before;
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '<', tuple(createdAt.getTime(), id)),
      );
    }
    const events = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
    return withDeliveries(db, events);
  }

  /** Makes an event due again, as it was made due in the first place; `undefined` when there is no such event. */
  redeliver(ownerId: string, id: string, now: Date): Promise<StoredEvent | undefined> {
    return inTransaction(this.#database, async (db) => {
      const event = await db
        .selectFrom('events')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .$if(this.#database.locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      if (!event) return undefined;
      if (event.type === testEventType) await addDelivery(db, id, event.object_id, now.getTime());
      else await addDeliveries(db, event, now.getTime());
      return (await withDeliveries(db, [event]))[0];
    });
  }

  /**
   * Makes an event that says nothing but that it is a test, due at once for one endpoint, which is enabled again; `undefined` when there
   * is no such endpoint.
   */
  test(ownerId: string, endpointId: string, now: Date): Promise<StoredEvent | undefined> {
    return inTransaction(this.#database, async (db) => {
      const endpoint = await db
        .updateTable('webhook_endpoints')
        .set({ failing_since: null, disabled_at: null, disabled_reason: null })
        .where('owner_id', '=', ownerId)
        .where('id', '=', endpointId)
        .returning('id')
        .executeTakeFirst();
      if (!endpoint) return undefined;
      const [at, data] = [now.getTime(), { endpoint_id: endpointId }];
      const event = await insertEvent(db, { ownerId, type: testEventType, objectId: endpointId, data, at });
      await addDelivery(db, event.id, endpointId, at);
      await deleteTestEvents(db, endpointId, testEventsKept);
      return (await withDeliveries(db, [event]))[0];
    });
  }

  /** Deletes some events from before a time; returns how many: 0 when none are left. */
  prune(createdBefore: Date): Promise<number> {
    return inTransaction(this.#database, async (db) => {
      const events = await db
        .selectFrom('events')
        .select('id')
        .where('created_at', '<', createdBefore.getTime())
        .orderBy('created_at')
        .limit(eventsPerPrune)
        .$if(this.#database.locksRows, (query) => query.forUpdate().skipLocked())
        .execute();
      await deleteEvents(
        db,
        events.map(({ id }) => id),
      );
      return events.length;
    });
  }
}

async function withDeliveries(db: Kysely<StoreTables>, events: readonly EventRow[]): Promise<readonly StoredEvent[]> {
  if (events.length === 0) return [];
  const ids = events.map(({ id }) => id);
  const deliveries = await db
    .selectFrom('event_deliveries')
    .selectAll()
    .where('event_id', 'in', ids)
    .orderBy('endpoint_id')
    .execute();
  return events.map((event) => ({ ...event, deliveries: deliveries.filter(({ event_id }) => event_id === event.id) }));
}
