import type { Kysely } from 'kysely';
import type { KeyTables } from './key-tables.ts';

/** Changes to keys, as the connections to one database notice them. */
export interface KeyChanges {
  /** Calls `onChange` after a key may have been changed through another connection, until `close`; see `KeyStore.watchChanges`. */
  watch(onChange: (hash?: string) => void): void;
  /** Notifies other connections of a change to the key with this hash, once the transaction of `db` is committed. */
  tell(db: Kysely<KeyTables>, hash: string): Promise<void>;
  /** Whether the database itself is gone, such as a deleted file. */
  isGone: boolean;
  close(): Promise<void>;
}
