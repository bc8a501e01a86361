import { randomBytes } from 'node:crypto';
import type { WebhookEndpointRow } from '../store/schema/tables.ts';
import { inTransaction, type SqlDatabase } from '../store/sql-database.ts';
import { deleteTestEvents } from './record-event.ts';
import { newSecret } from './sign.ts';

/** How many endpoints one owner may have. */
export const maxEndpoints = 20;

const previousSecretMs = 86_400_000;

/** Stores where the events of clients are sent. An owner is named by the `rootId` of its API key. */
export class EndpointRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Stores a new endpoint with a secret of its own; `undefined` when the owner has as many as it may. */
  insert(
    endpoint: Pick<WebhookEndpointRow, 'owner_id' | 'url' | 'types' | 'description'>,
    now: Date,
  ): Promise<WebhookEndpointRow | undefined> {
    const row: WebhookEndpointRow = {
      id: `we_${randomBytes(12).toString('hex')}`,
      ...endpoint,
      secret: newSecret(),
      previous_secret: null,
      previous_secret_until: null,
      created_at: now.getTime(),
      failing_since: null,
      disabled_at: null,
      disabled_reason: null,
    };
    return inTransaction(this.#database, async (db) => {
      // Locks the owner's keys, so that of two requests only one counts.
      const { locksRows } = this.#database;
      const keys = db.selectFrom('api_keys').select('id').where('root_id', '=', row.owner_id);
      if (locksRows) await keys.forUpdate().execute();
      const { count } = await db
        .selectFrom('webhook_endpoints')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('owner_id', '=', row.owner_id)
        .executeTakeFirstOrThrow();
      if (Number(count) >= maxEndpoints) return undefined;
      await db.insertInto('webhook_endpoints').values(row).execute();
      return row;
    });
  }

  /** The endpoints of an owner, the oldest first. */
  list(ownerId: string): Promise<readonly WebhookEndpointRow[]> {
    const { db } = this.#database;
    return db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** Deletes an endpoint with all that waits for it and its test events; returns what it was, if there was one. */
  delete(ownerId: string, id: string): Promise<WebhookEndpointRow | undefined> {
    return inTransaction(this.#database, async (db) => {
      const row = await db
        .deleteFrom('webhook_endpoints')
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (!row) return undefined;
      await db.deleteFrom('event_deliveries').where('endpoint_id', '=', id).execute();
      await deleteTestEvents(db, id, 0);
      return row;
    });
  }

  /** Gives an endpoint a new secret; the one before signs too for 24 hours. Returns `undefined` when there is no such endpoint. */
  rotate(ownerId: string, id: string, now: Date): Promise<WebhookEndpointRow | undefined> {
    return inTransaction(this.#database, (db) =>
      db
        .updateTable('webhook_endpoints')
        .set(({ ref }) => ({
          previous_secret: ref('secret'),
          previous_secret_until: now.getTime() + previousSecretMs,
          secret: newSecret(),
        }))
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    );
  }
}
