import { resolve } from 'node:path';
import { Kysely } from 'kysely';
import { type KeyStore, KeyStoreError } from './key-store.ts';
import type { KeyTables } from './key-tables.ts';
import { migrateToLatest } from './migrate.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import {
  foreignChangesOf,
  IN_MEMORY,
  openSqliteFile,
  shareSqliteFile,
  waitForOtherWriters,
  withWriteLock,
} from './sqlite-file.ts';

const REMEDY = 'Use sqlite:<path of a file>, such as DATABASE_URL=sqlite:.splwright/keys.db';

/**
 * Opens the key store that a `DATABASE_URL` names, made first where there is none, at the newest schema.
 *
 * Takes `sqlite:<path>` (relative to the working folder; the file can be shared by several processes) or
 * `sqlite::memory:` (empty, and lost on `close`). `now` dates what is made and revoked.
 * Throws a `KeyStoreError` for any other URL, and for a file that cannot be opened, migrated or written.
 */
export async function openKeyStore(databaseUrl: string, now: () => Date = () => new Date()): Promise<KeyStore> {
  const location = parseSqliteUrl(databaseUrl);
  try {
    const database = openSqliteFile(location);
    try {
      await shareSqliteFile(database);
      const db = new Kysely<KeyTables>({ dialect: nodeSqliteDialect(database) });
      await withWriteLock(database, () => migrateToLatest(db));
      waitForOtherWriters(database);
      return new SqlKeyStore(db, foreignChangesOf(database), now);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KeyStoreError(
      `DATABASE_URL: the key store ${location} cannot be opened: ${reason}. ` +
        'Name a file in a folder that this user can write, or one made by this version or an older one.',
      { cause: error },
    );
  }
}

function parseSqliteUrl(databaseUrl: string): string {
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
  if (path === undefined) {
    // Only the scheme is repeated: what follows it may hold a password.
    const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(databaseUrl)?.[0];
    throw new KeyStoreError(`DATABASE_URL cannot be ${scheme ? `a ${scheme} URL` : 'read'}. ${REMEDY}.`);
  }
  return path === IN_MEMORY ? path : resolve(path);
}
