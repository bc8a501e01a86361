import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type CompiledQuery, Kysely } from 'kysely';
import type { IdempotencyTables } from './idempotency/idempotency-tables.ts';
import { SqlIdempotency } from './idempotency/sql-idempotency.ts';
import type { KeyStore } from './key-store.ts';
import type { KeyTables } from './key-tables.ts';
import { observed, type QueryObserver, queryLog } from './queries/query-reports.ts';
import { migrateToLatest } from './schema/migrate.ts';
import type { SchemaTables } from './schema/schema-tables.ts';
import { type ChangedBy, SqlKeyStore } from './sql-key-store.ts';
import { sqlPaymentLinksOf } from './sql-links-of-keys.ts';
import { whenSoonNotBusy } from './sqlite-busy.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import { SqliteDurableWrites } from './sqlite-durable-writes.ts';
import { explainSqliteFault } from './sqlite-fault.ts';
import {
  commitWithoutDisk,
  inMemory,
  openSqliteFile,
  shareSqliteFile,
  waitForOtherWriters,
  withWriteLock,
} from './sqlite-file.ts';

const busyTimeoutMs = { command: 5000, service: 20 };

/** Opens the key store in an SQLite file, which is created when missing. Throws a `KeyStoreError`. */
export async function openSqliteStore(
  path: string,
  changedBy: ChangedBy,
  use: keyof typeof busyTimeoutMs,
  onQuery?: QueryObserver,
): Promise<KeyStore> {
  const location = path === inMemory ? path : resolve(path);
  try {
    const connection = new SqliteConnection(location, await openDatabase(location, use));
    const dialect = nodeSqliteDialect(connection, (error) => explainSqliteFault(error, location, 'used'));
    const db = new Kysely<KeyTables>({ dialect, ...queryLog('sqlite', onQuery) });
    const durableWrites = new SqliteDurableWrites(db, connection);
    const writeDurably = observed('sqlite', onQuery, (...writes: readonly CompiledQuery[]) =>
      durableWrites.write(...writes),
    );
    const idempotency = new SqlIdempotency(db.$pickTables<keyof IdempotencyTables>(), {
      writeDurably,
      whenNotBusy: whenSoonNotBusy,
      canSkipLocked: false,
    });
    const paymentLinksOf = sqlPaymentLinksOf(db, { writeDurably, whenNotBusy: whenSoonNotBusy, locksRows: false });
    return new SqlKeyStore({ db, changes: connection, idempotency, paymentLinksOf }, changedBy);
  } catch (error) {
    throw explainSqliteFault(error, location, 'opened');
  }
}

async function openDatabase(location: string, use: keyof typeof busyTimeoutMs): Promise<DatabaseSync> {
  const database = openSqliteFile(location);
  try {
    await shareSqliteFile(database);
    const db = new Kysely<SchemaTables>({ dialect: nodeSqliteDialect(database, (error) => error) });
    await withWriteLock(database, () => migrateToLatest(db));
    waitForOtherWriters(database, busyTimeoutMs[use]);
    // A service writes counts, and requests wait for them; what must last is written durably, one by one.
    if (use === 'service') commitWithoutDisk(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
