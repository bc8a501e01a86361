import { type ChangeAuthor, unknownAuthor } from '../../keys/api-key-record.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { KeyStoreError } from '../../store/store-faults.ts';
import { Store } from './store.ts';

/** How a store is used. */
export interface KeyStoreOptions {
  /** The wall clock; the times of creation and revocation come from it. */
  now?: () => Date;
  /** Who changes keys through this store, for their history. */
  author?: ChangeAuthor;
  /**
   * A `command` waits up to some seconds for other processes. A `service` continues without the store instead: a query of
   * PostgreSQL may take 1.5 s, and the lock of an SQLite file is never waited for.
   */
  use?: 'command' | 'service';
}

const remedy =
  'Use sqlite:<path of a file>, such as DATABASE_URL=sqlite:.splwright/keys.db, or postgres://user:password@host/database';

/**
 * Opens the key store of a `DATABASE_URL`, at the newest schema.
 *
 * Accepts `sqlite:<path>` (relative to the working folder, created when missing; several processes can share the file),
 * `sqlite::memory:` (empty, and lost on `close`), and `postgres://` or `postgresql://` (a database that exists).
 * Throws a `KeyStoreError` for any other URL, and for a database that cannot be opened, migrated or written.
 */
export async function openKeyStore(databaseUrl: string, options: KeyStoreOptions = {}): Promise<Store> {
  const { now = () => new Date(), author = unknownAuthor, use = 'command' } = options;
  const changedBy = { now, author };
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
  if (path !== undefined) return new Store(await openSqlite(path, use), changedBy);
  if (/^postgres(?:ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl)) {
    // Loaded only when needed: the driver takes longer to load than SQLite takes to open.
    const { openPostgres } = await import('../../store/postgres.ts');
    return new Store(await openPostgres(databaseUrl, use), changedBy);
  }
  // Only the scheme is repeated: what follows it may hold a password.
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(databaseUrl)?.[0];
  throw new KeyStoreError(`DATABASE_URL cannot be ${scheme ? `a ${scheme} URL` : 'read'}. ${remedy}.`);
}
