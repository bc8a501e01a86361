import { type KeyStore, KeyStoreError } from './key-store.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

/** What a store is opened for. */
export interface KeyStoreOptions {
  /** Dates what is made and revoked. */
  now?: () => Date;
  /**
   * A `command` waits for others to finish, for seconds. A `service` goes on without the store rather than wait: it gives a
   * query of PostgreSQL 1.5 s, and never blocks for the lock of an SQLite file.
   */
  use?: 'command' | 'service';
}

const remedy =
  'Use sqlite:<path of a file>, such as DATABASE_URL=sqlite:.splwright/keys.db, or postgres://user:password@host/database';

/**
 * Opens the key store that a `DATABASE_URL` names, at the newest schema.
 *
 * Takes `sqlite:<path>` (relative to the working folder, made where there is none; the file can be shared by several
 * processes), `sqlite::memory:` (empty, and lost on `close`), and `postgres://` or `postgresql://` (a database that exists).
 * Throws a `KeyStoreError` for any other URL, and for a database that cannot be opened, migrated or written.
 */
export async function openKeyStore(databaseUrl: string, options: KeyStoreOptions = {}): Promise<KeyStore> {
  const { now = () => new Date(), use = 'command' } = options;
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
  if (path !== undefined) return openSqliteStore(path, now, use);
  if (/^postgres(?:ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl)) {
    // Loaded only where it is needed: the driver takes longer to load than SQLite takes to open.
    const { openPostgresStore } = await import('./open-postgres-store.ts');
    return openPostgresStore(databaseUrl, now, use);
  }
  // Only the scheme is repeated: what follows it may hold a password.
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(databaseUrl)?.[0];
  throw new KeyStoreError(`DATABASE_URL cannot be ${scheme ? `a ${scheme} URL` : 'read'}. ${remedy}.`);
}
