import { type CompiledQuery, Kysely, sql } from 'kysely';
import type { IdempotencyTables } from './idempotency/idempotency-tables.ts';
import { SqlIdempotency } from './idempotency/sql-idempotency.ts';
import { type KeyStore, KeyStoreError } from './key-store.ts';
import type { KeyTables } from './key-tables.ts';
import type { RecordLedger } from './ledgers/ledger-store.ts';
import type { PaymentLinkTables } from './payment-links/payment-link-tables.ts';
import { SqlPaymentLinks, type SqlPaymentLinksOptions } from './payment-links/sql-payment-links.ts';
import { type PostgresTimeouts, postgresDialect } from './postgres/postgres-connection.ts';
import { postgresRemedyOf } from './postgres/postgres-remedy.ts';
import { PostgresKeyChanges } from './postgres-changes.ts';
import { type QueryObserver, queryLog } from './queries/query-reports.ts';
import { migrateToLatest } from './schema/migrate.ts';
import type { SchemaTables } from './schema/schema-tables.ts';
import { hasActiveKey } from './sql-active-keys.ts';
import { type ChangedBy, SqlKeyStore } from './sql-key-store.ts';
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
  const writeDurably = async (query: CompiledQuery) => (await db.executeQuery(query)).numAffectedRows ?? 0n;
  const whenNotBusy = <Result>(write: () => Promise<Result>) => write();
  const idempotency = new SqlIdempotency(db.$pickTables<keyof IdempotencyTables>(), {
    writeDurably,
    whenNotBusy,
    canSkipLocked: true,
  });
  const linkOptions: SqlPaymentLinksOptions = {
    writeDurably,
    whenNotBusy,
    isOwnerActive: (ownerId, at) => hasActiveKey(db, at, ownerId),
  };
  const changes = new PostgresKeyChanges(databaseUrl, timeouts);
  const links = db.$pickTables<keyof PaymentLinkTables>();
  const paymentLinksOf = (ledger: RecordLedger) => new SqlPaymentLinks(links, linkOptions, ledger);
  return new SqlKeyStore({ db, changes, idempotency, paymentLinksOf }, changedBy);
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
