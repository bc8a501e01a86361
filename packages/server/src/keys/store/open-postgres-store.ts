import { Kysely, sql } from 'kysely';
import { type KeyStore, KeyStoreError } from './key-store.ts';
import type { KeyTables } from './key-tables.ts';
import { migrateToLatest } from './migrate.ts';
import { PostgresKeyChanges } from './postgres-changes.ts';
import { type PostgresPatience, postgresDialect } from './postgres-connection.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { storeFaultOf } from './store-fault.ts';

const patienceOf = {
  // Together less than the time between asking again for a key in use and having to do without an answer.
  service: { connectMs: 1000, queryMs: 1500 },
  command: { connectMs: 10_000, queryMs: 30_000 },
} as const satisfies Record<string, PostgresPatience>;

const connections = 4;
/** Any number that nothing else in the database locks by: "splwrigh" in ASCII. */
const migrationLock = 0x73706c7772696768n;

/** Opens the key store in a PostgreSQL database that exists. Throws a `KeyStoreError`. */
export async function openPostgresStore(
  databaseUrl: string,
  now: () => Date,
  use: keyof typeof patienceOf,
): Promise<KeyStore> {
  try {
    await migrate(databaseUrl);
  } catch (error) {
    throw new KeyStoreError(
      `DATABASE_URL: the key store in ${placeOf(databaseUrl)} cannot be opened: ${storeFaultOf(error)}. ` +
        'Name a database that exists, whose user may make tables in it, or whose tables were made by this version or an older one.',
      { cause: error },
    );
  }
  const patience = patienceOf[use];
  const db = new Kysely<KeyTables>({ dialect: postgresDialect(databaseUrl, patience, connections) });
  return new SqlKeyStore(db, new PostgresKeyChanges(databaseUrl, patience), now);
}

/** Migrates while no other process does: whoever comes second finds nothing left to do. */
async function migrate(databaseUrl: string): Promise<void> {
  const db = new Kysely<KeyTables>({ dialect: postgresDialect(databaseUrl, patienceOf.command, 2) });
  try {
    // On a connection beside the one that migrates, so that a migration that fails says why.
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
      await migrateToLatest(db);
    });
  } finally {
    await db.destroy();
  }
}

/** Where a database is, without user and password. */
function placeOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host || 'the local socket'}${pathname}`;
}
