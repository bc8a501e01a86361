import type { EventDeliveryRow, EventRow } from '../store/schema/tables.ts';
import { inParts, type SqlDatabase } from '../store/sql-database.ts';
import { readAttempts } from './delivery-records.ts';
import { takes } from './endpoint-records.ts';
import { testEventType } from './event-types.ts';
import { addDeliveries, insertEvent } from './record-event.ts';
import type { Attempt } from './send-webhook.ts';

/** How an event is delivered to one endpoint. */
export interface EventDelivery {
  endpointId: string;
  state: EventDeliveryRow['state'];
  /** The oldest first. */
  attempts: readonly Attempt[];
  /** When the next attempt is due. */
  dueAt: Date | null;
}

/** The body of a delivery. */
export interface EventPayload {
  type: string;
  /** ISO 8601. */
  timestamp: string;
  sequence: number;
  /** The object, as its own GET had it. */
  data: object;
}

/** Something that happened, and to whom it was told. */
export interface StoredEvent {
  id: string;
  type: string;
  objectId: string;
  createdAt: Date;
  /** As it is sent. */
  payload: EventPayload;
  deliveries: readonly EventDelivery[];
}

/** Which events to list; what is left out does not matter. */
export interface EventQuery {
  type?: string;
  objectId?: string;
  /** The last event of the page before. */
  before?: { createdAt: Date; id: string };
  limit: number;
}

const eventsPerPrune = 200;

/** The events of clients, which are kept for 30 days. */
export class EventRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** The events of an owner, the newest first. */
  async list(ownerId: string, { type, objectId, before, limit }: EventQuery): Promise<readonly StoredEvent[]> {
    const rows = await this.#database.db
      .selectFrom('events')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''))
      .$if(objectId !== undefined, (query) => query.where('object_id', '=', objectId ?? ''))
      .$if(before !== undefined, (query) =>
        query.where(({ or, and, eb }) => {
          const at = before?.createdAt.getTime() ?? 0;
          return or([
            eb('created_at', '<', at),
            and([eb('created_at', '=', at), eb('id', '<', before?.id ?? '')]),
          ]);
        }),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return this.#withDeliveries(rows);
  }

  /** The event of an owner with this id, if there is one. */
  async find(ownerId: string, id: string): Promise<StoredEvent | undefined> {
    const rows = await this.#database.db
      .selectFrom('events')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .where('id', '=', id)
      .execute();
    return (await this.#withDeliveries(rows))[0];
  }

  /** Makes an event due at once, for every enabled endpoint of its owner that takes its type; `undefined` when there is no such event. */
  async redeliver(ownerId: string, id: string, now: Date): Promise<StoredEvent | undefined> {
    const { db, whenNotBusy } = this.#database;
    const event = await this.find(ownerId, id);
    if (!event) return undefined;
    await whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        const endpoints = await transaction
          .selectFrom('webhook_endpoints')
          .select(['id', 'types'])
          .where('owner_id', '=', ownerId)
          .where('disabled_at', 'is', null)
          .execute();
        const takers = endpoints.filter((endpoint) => takes(endpoint, event.type));
        await addDeliveries(transaction, id, takers.map((endpoint) => endpoint.id), now.getTime());
      }),
    );
    return this.find(ownerId, id);
  }

  /** Makes an event that says nothing but that it is a test, due at once for one endpoint, which is enabled again. */
  async test(ownerId: string, endpointId: string, now: Date): Promise<StoredEvent> {
    const { db, whenNotBusy } = this.#database;
    const at = now.getTime();
    const data = { endpoint_id: endpointId };
    const event = { ownerId, type: testEventType, objectId: endpointId, data, at } as const;
    const made = await whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('webhook_endpoints')
          .set({ failing_since: null, disabled_at: null, disabled_reason: null })
          .where('id', '=', endpointId)
          .execute();
        const row = await insertEvent(transaction, event);
        await addDeliveries(transaction, row.id, [endpointId], at);
        return row;
      }),
    );
    const delivery = { endpointId, state: 'waiting', attempts: [], dueAt: now } as const;
    return toEvent(made, [delivery]);
  }

  /** Deletes some events from before a time, with what was said of their deliveries; returns how many: 0 when none are left. */
  prune(createdBefore: Date): Promise<number> {
    const { db, whenNotBusy, locksRows } = this.#database;
    return whenNotBusy(() =>
      db.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom('events')
          .select('id')
          .where('created_at', '<', createdBefore.getTime())
          .orderBy('created_at')
          .limit(eventsPerPrune)
          .$if(locksRows, (query) => query.forUpdate().skipLocked())
          .execute();
        const ids = rows.map(({ id }) => id);
        if (ids.length === 0) return 0;
        await transaction.deleteFrom('event_deliveries').where('event_id', 'in', ids).execute();
        await transaction.deleteFrom('events').where('id', 'in', ids).execute();
        return ids.length;
      }),
    );
  }

  async #withDeliveries(rows: readonly EventRow[]): Promise<readonly StoredEvent[]> {
    const deliveries = new Map<string, EventDelivery[]>(rows.map(({ id }) => [id, []]));
    for (const ids of inParts([...deliveries.keys()])) {
      const found = await this.#database.db
        .selectFrom('event_deliveries')
        .selectAll()
        .where('event_id', 'in', ids)
        .orderBy('endpoint_id')
        .execute();
      for (const row of found) deliveries.get(row.event_id)?.push(toDelivery(row));
    }
    return rows.map((row) => toEvent(row, deliveries.get(row.id) ?? []));
  }
}

function toEvent(row: EventRow, deliveries: readonly EventDelivery[]): StoredEvent {
  return {
    id: row.id,
    type: row.type,
    objectId: row.object_id,
    createdAt: new Date(row.created_at),
    payload: JSON.parse(row.body),
    deliveries,
  };
}

function toDelivery(row: EventDeliveryRow): EventDelivery {
  return {
    endpointId: row.endpoint_id,
    state: row.state,
    attempts: readAttempts(row),
    dueAt: row.due_at === null ? null : new Date(row.due_at),
  };
}
