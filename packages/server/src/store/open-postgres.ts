import { Kysely, sql } from 'kysely';
import { type PostgresTimeouts, postgresDialect } from './postgres-connection.ts';
import { PostgresKeyChanges } from './postgres-notifications.ts';
import { migrateToLatest } from './schema/migrate.ts';
import type { StoreTables } from './schema/tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import { databaseError } from './store-faults.ts';

const timeoutsOf = {
  // Together less than the time between the refresh of a key in use and the moment at which its last answer no longer counts.
  service: { connectTimeoutMs: 1000, queryTimeoutMs: 1500 },
  command: { connectTimeoutMs: 10_000, queryTimeoutMs: 30_000 },
} as const satisfies Record<string, PostgresTimeouts>;

const maxConnections = 10;
/** A number that no other lock of the database has: "splwrigh" in ASCII. */
const migrationLock = 0x73706c7772696768n;

/** Opens a PostgreSQL database that exists. Throws a `KeyStoreError`. */
export async function openPostgres(databaseUrl: string, use: keyof typeof timeoutsOf): Promise<SqlDatabase> {
  try {
    await migrate(databaseUrl);
  } catch (error) {
    throw databaseError(addressOf(databaseUrl), 'opened', error);
  }
  const timeouts = timeoutsOf[use];
  const changes = new PostgresKeyChanges(databaseUrl, timeouts);
  const dialect = postgresDialect(databaseUrl, timeouts, maxConnections, () => changes.reconnect());
  const db = new Kysely<StoreTables>({ dialect });
  return { db, changes, whenNotBusy: (write) => write(), locksRows: true };
}

/**
 * Migrates under a lock: the second of two processes finds the newest schema.
 *
 * One transaction on one connection does it all, so that it works behind a pooler, however few connections that has.
 */
async function migrate(databaseUrl: string): Promise<void> {
  // After it a transaction answers only that it has failed.
  let firstError: unknown;
  const db = new Kysely<StoreTables>({
    dialect: postgresDialect(databaseUrl, timeoutsOf.command, 1),
    log: (event) => {
      if (event.level === 'error') firstError ??= event.error;
    },
  });
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
      await migrateToLatest(transaction);
    });
  } catch (error) {
    throw firstError ?? error;
  } finally {
    await db.destroy();
  }
}

/** Returns the host and the name of a database, without user and password. */
function addressOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host || 'the local socket'}${pathname}`;
}
