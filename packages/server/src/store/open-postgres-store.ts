import { type CompiledQuery, Kysely, sql } from 'kysely';
import type { IdempotencyTables } from './idempotency/idempotency-tables.ts';
import { SqlIdempotency } from './idempotency/sql-idempotency.ts';
import { type KeyStore, KeyStoreError } from './key-store.ts';
import type { KeyTables } from './key-tables.ts';
import { type PostgresTimeouts, postgresDialect } from './postgres/postgres-connection.ts';
import { postgresRemedyOf } from './postgres/postgres-remedy.ts';
import { PostgresKeyChanges } from './postgres-changes.ts';
import { type QueryObserver, queryLog } from './queries/query-reports.ts';
import { migrateToLatest } from './schema/migrate.ts';
import type { SchemaTables } from './schema/schema-tables.ts';
import { type ChangedBy, SqlKeyStore } from './sql-key-store.ts';
import { sqlPaymentLinksOf } from './sql-links-of-keys.ts';
import { storeFaultOf } from './store-fault.ts';

const timeoutsOf = {
  // Together less than the time between the refresh of a key in use and the moment at which its last answer no longer counts.
  service: { connectTimeoutMs: 1000, queryTimeoutMs: 1500 },
  command: { connectTimeoutMs: 10_000, queryTimeoutMs: 30_000 },
} as const satisfies Record<string, PostgresTimeouts>;

const maxConnections = 4;
/** A number that no other lock of the database has: "splwrigh" in ASCII. */
const migrationLock = 0x73706c7772696768n;

/** Opens the key store in a PostgreSQL database that exists. Throws a `KeyStoreError`. */
export async function openPostgresStore(
  databaseUrl: string,
  changedBy: ChangedBy,
  use: keyof typeof timeoutsOf,
  onQuery?: QueryObserver,
): Promise<KeyStore> {
  try {
    await migrate(databaseUrl);
  } catch (error) {
    const remedy = postgresRemedyOf(error);
    throw new KeyStoreError(
      `DATABASE_URL: the key store in ${addressOf(databaseUrl)} cannot be opened: ${storeFaultOf(error)}. ${remedy}.`,
      { cause: error },
    );
  }
  const timeouts = timeoutsOf[use];
  const dialect = postgresDialect(databaseUrl, timeouts, maxConnections);
  const db = new Kysely<KeyTables>({ dialect, ...queryLog('postgresql', onQuery) });
  // A commit is as durable as the server's settings make it.
  const writeDurably = (...writes: readonly CompiledQuery[]) => writeTogether(db, writes);
  const whenNotBusy = <Result>(write: () => Promise<Result>) => write();
  const idempotency = new SqlIdempotency(db.$pickTables<keyof IdempotencyTables>(), {
    writeDurably,
    whenNotBusy,
    canSkipLocked: true,
  });
  const changes = new PostgresKeyChanges(databaseUrl, timeouts);
  const paymentLinksOf = sqlPaymentLinksOf(db, { writeDurably, whenNotBusy, locksRows: true });
  return new SqlKeyStore({ db, changes, idempotency, paymentLinksOf }, changedBy);
}

/**
 * Runs writes in one transaction, unless there is one alone, which is one by itself.
 *
 * Resolves to the first one that changed no row, because of which none is kept; to `undefined` when each changed some.
 */
async function writeTogether(
  db: Kysely<KeyTables>,
  writes: readonly CompiledQuery[],
): Promise<CompiledQuery | undefined> {
  const changesNothing = async (on: Kysely<KeyTables>, write: CompiledQuery) =>
    (await on.executeQuery(write)).numAffectedRows === 0n;
  const [first, ...others] = writes;
  if (first && others.length === 0) return (await changesNothing(db, first)) ? first : undefined;
  const transaction = await db.startTransaction().execute();
  try {
    for (const write of writes) {
      if (!(await changesNothing(transaction, write))) continue;
      await transaction.rollback().execute();
      return write;
    }
    await transaction.commit().execute();
    return undefined;
  } catch (error) {
    // The connection may be gone, and the transaction with it.
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined);
    throw error;
  }
}

/**
 * Migrates under a lock: the second of two processes finds the newest schema.
 *
 * One transaction on one connection does it all, so that it works behind a pooler, however few connections that has.
 */
async function migrate(databaseUrl: string): Promise<void> {
  // After it a transaction answers only that it has failed.
  let firstError: unknown;
  const db = new Kysely<SchemaTables>({
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
