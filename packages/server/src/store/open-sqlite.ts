import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type CompiledQuery, Kysely } from 'kysely';
import { observed, type QueryObserver, queryLog } from './query-reports.ts';
import { migrateToLatest } from './schema/migrate.ts';
import type { StoreTables } from './schema/tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import { nodeSqliteDialect, SqliteConnection } from './sqlite-connection.ts';
import { SqliteDurableWrites } from './sqlite-durable-writes.ts';
import { explainSqliteFault } from './sqlite-fault.ts';
import {
  commitWithoutDisk,
  inMemory,
  openSqliteFile,
  shareSqliteFile,
  waitForOtherWriters,
  whenSoonNotBusy,
  withWriteLock,
} from './sqlite-file.ts';

const busyTimeoutMs = { command: 5000, service: 20 };

/** Opens an SQLite file, which is created when missing. Throws a `KeyStoreError`. */
export async function openSqlite(
  path: string,
  use: keyof typeof busyTimeoutMs,
  onQuery?: QueryObserver,
): Promise<SqlDatabase> {
  const location = path === inMemory ? path : resolve(path);
  try {
    const connection = new SqliteConnection(location, await openDatabase(location, use));
    const dialect = nodeSqliteDialect(connection, (error) => explainSqliteFault(error, location, 'used'));
    const db = new Kysely<StoreTables>({ dialect, ...queryLog('sqlite', onQuery) });
    const durableWrites = new SqliteDurableWrites(db, connection);
    const writeDurably = observed('sqlite', onQuery, (...writes: readonly CompiledQuery[]) =>
      durableWrites.write(...writes),
    );
    return { db, changes: connection, writeDurably, whenNotBusy: whenSoonNotBusy, locksRows: false };
  } catch (error) {
    throw explainSqliteFault(error, location, 'opened');
  }
}

async function openDatabase(location: string, use: keyof typeof busyTimeoutMs): Promise<DatabaseSync> {
  const database = openSqliteFile(location);
  try {
    await shareSqliteFile(database);
    const db = new Kysely<StoreTables>({ dialect: nodeSqliteDialect(database, (error) => error) });
    await withWriteLock(database, async () => {
      await migrateToLatest(db);
      // SQLite opens a file that it may only read, and takes no write lock on it: the first write fails, of however many rows.
      if (use === 'service') database.exec('delete from leases where false');
    });
    waitForOtherWriters(database, busyTimeoutMs[use]);
    // A service writes counts, and requests wait for them; what must last is written durably, one by one.
    if (use === 'service') commitWithoutDisk(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
