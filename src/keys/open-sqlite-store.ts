import { resolve } from 'node:path';
import { Kysely } from 'kysely';
import { type KeyStore, KeyStoreError } from './key-store.ts';
import type { KeyTables } from './key-tables.ts';
import { migrateToLatest } from './migrate.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import {
  commitWithoutDisk,
  IN_MEMORY,
  keyChangesIn,
  openSqliteFile,
  shareSqliteFile,
  waitForOtherWriters,
  withWriteLock,
} from './sqlite-file.ts';
import { storeFaultOf } from './store-fault.ts';

const BUSY_MILLISECONDS = { command: 5000, service: 20 };

/** Opens the key store in an SQLite file, made first where there is none. Throws a `KeyStoreError`. */
export async function openSqliteStore(
  path: string,
  now: () => Date,
  use: keyof typeof BUSY_MILLISECONDS,
): Promise<KeyStore> {
  const location = path === IN_MEMORY ? path : resolve(path);
  try {
    const database = openSqliteFile(location);
    try {
      await shareSqliteFile(database);
      const db = new Kysely<KeyTables>({ dialect: nodeSqliteDialect(database) });
      await withWriteLock(database, () => migrateToLatest(db));
      waitForOtherWriters(database, BUSY_MILLISECONDS[use]);
      // A service writes counts alone, while requests wait.
      if (use === 'service') commitWithoutDisk(database);
      return new SqlKeyStore(db, keyChangesIn(database), now);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw new KeyStoreError(
      `DATABASE_URL: the key store ${location} cannot be opened: ${storeFaultOf(error)}. ` +
        'Name a file in a folder that this user can write, or one made by this version or an older one.',
      { cause: error },
    );
  }
}
