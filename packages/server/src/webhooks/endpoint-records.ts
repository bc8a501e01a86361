import { randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { StoreTables, WebhookEndpointRow } from '../store/schema/tables.ts';
import type { SqlDatabase } from '../store/sql-database.ts';
import { newSecret } from './sign.ts';

/** Where the events of a client are sent. */
export interface WebhookEndpoint {
  id: string;
  /** The `rootId` of the API key that made it. */
  ownerId: string;
  url: string;
  /** The types of events that it takes; `null` for all. */
  types: readonly string[] | null;
  description: string | null;
  createdAt: Date;
  /** Since when every attempt fails. */
  failingSince: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
}

/** An endpoint with what signs its deliveries. */
export interface EndpointWithSecret extends WebhookEndpoint {
  secret: string;
}

/** How many endpoints one owner may have. */
export const maxEndpoints = 20;

const previousSecretMs = 86_400_000;

/** Stores the endpoints of webhooks. */
export class EndpointRecords {
  readonly #database: SqlDatabase;

  /** Uses `database`, which its owner closes. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Stores a new endpoint with a secret of its own; `undefined` when the owner has as many as it may. */
  insert(
    endpoint: Pick<WebhookEndpoint, 'ownerId' | 'url' | 'types' | 'description'>,
    now: Date,
  ): Promise<EndpointWithSecret | undefined> {
    const row: WebhookEndpointRow = {
      id: `we_${randomBytes(12).toString('hex')}`,
      owner_id: endpoint.ownerId,
      url: endpoint.url,
      types: endpoint.types && JSON.stringify(endpoint.types),
      description: endpoint.description,
      secret: newSecret(),
      previous_secret: null,
      previous_secret_until: null,
      created_at: now.getTime(),
      failing_since: null,
      disabled_at: null,
      disabled_reason: null,
    };
    return this.#write(async (db) => {
      await db.insertInto('webhook_endpoints').values(row).execute();
      const { count } = await db
        .selectFrom('webhook_endpoints')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('owner_id', '=', row.owner_id)
        .executeTakeFirstOrThrow();
      if (Number(count) <= maxEndpoints) return { ...toEndpoint(row), secret: row.secret };
      await db.deleteFrom('webhook_endpoints').where('id', '=', row.id).execute();
      return undefined;
    });
  }

  /** The endpoints of an owner, the oldest first. */
  async list(ownerId: string): Promise<readonly WebhookEndpoint[]> {
    const rows = await this.#database.db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toEndpoint);
  }

  /** The endpoint of an owner with this id, if there is one. */
  async find(ownerId: string, id: string): Promise<WebhookEndpoint | undefined> {
    const row = await this.#database.db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toEndpoint(row);
  }

  /** Deletes an endpoint with all that waits for it; returns what it was, if there was one. */
  delete(ownerId: string, id: string): Promise<WebhookEndpoint | undefined> {
    return this.#write(async (db) => {
      const row = await db
        .deleteFrom('webhook_endpoints')
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row) await db.deleteFrom('event_deliveries').where('endpoint_id', '=', id).execute();
      return row && toEndpoint(row);
    });
  }

  /** Gives an endpoint a new secret; the one before signs too for 24 hours. Returns `undefined` when there is no such endpoint. */
  rotate(ownerId: string, id: string, now: Date): Promise<EndpointWithSecret | undefined> {
    return this.#write(async (db) => {
      const row = await db
        .updateTable('webhook_endpoints')
        .set(({ ref }) => ({
          previous_secret: ref('secret'),
          previous_secret_until: now.getTime() + previousSecretMs,
          secret: newSecret(),
        }))
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && { ...toEndpoint(row), secret: row.secret };
    });
  }

  #write<Result>(action: (db: Kysely<StoreTables>) => Promise<Result>): Promise<Result> {
    const { db, whenNotBusy } = this.#database;
    return whenNotBusy(() => db.transaction().execute(action));
  }
}

/** Reads the row of an endpoint. */
export function toEndpoint(row: Selectable<WebhookEndpointRow>): WebhookEndpoint {
  return {
    id: row.id,
    ownerId: row.owner_id,
    url: row.url,
    types: readTypes(row.types),
    description: row.description,
    createdAt: new Date(row.created_at),
    failingSince: toDate(row.failing_since),
    disabledAt: toDate(row.disabled_at),
    disabledReason: row.disabled_reason,
  };
}

/** Returns the secrets that sign a delivery to an endpoint at `now`. */
export function secretsOf(row: Selectable<WebhookEndpointRow>, now: number): readonly string[] {
  const { secret, previous_secret: previous, previous_secret_until: until } = row;
  return previous !== null && until !== null && now < until ? [secret, previous] : [secret];
}

/** Whether an endpoint takes events of a type. */
export function takes({ types }: Pick<WebhookEndpointRow, 'types'>, type: string): boolean {
  return readTypes(types)?.includes(type) ?? true;
}

function readTypes(text: string | null): readonly string[] | null {
  return text === null ? null : JSON.parse(text);
}

function toDate(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
