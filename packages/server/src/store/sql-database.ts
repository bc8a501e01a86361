import type { CompiledQuery, Kysely } from 'kysely';
import type { StoreTables } from './schema/tables.ts';

/** A database that is open, at the newest schema, and what differs between SQLite and PostgreSQL. */
export interface SqlDatabase {
  db: Kysely<StoreTables>;
  changes: KeyChanges;
  /**
   * Runs writes in one transaction, whose commit a loss of power does not undo.
   *
   * Resolves to the first one that changed no row, because of which none is kept; to `undefined` when each changed some.
   */
  writeDurably: (...writes: readonly CompiledQuery[]) => Promise<CompiledQuery | undefined>;
  whenNotBusy: WhenNotBusy;
  /** Whether a query can lock the rows that it reads, and pass over locked ones: a transaction of SQLite locks the file. */
  locksRows: boolean;
}

/** Runs a write, and again for a while as long as another process has the database locked. */
export type WhenNotBusy = <Result>(action: () => Promise<Result>) => Promise<Result>;

/** Changes to keys, as the connections to one database notice them. */
export interface KeyChanges {
  /** Calls `onChange` after a key may have been changed through another connection, until `close`; see `KeyStore.watchChanges`. */
  watch(onChange: (hash?: string) => void): void;
  /** Notifies other connections of a change to the key with this hash, once the transaction of `db` is committed. */
  tell(db: Kysely<StoreTables>, hash: string): Promise<void>;
  /** Whether the database itself is gone, such as a deleted file. */
  isGone: boolean;
  close(): Promise<void>;
}

/** Far below the bound of a statement: SQLite allows 32,766 parameters in a query, PostgreSQL 65,535. */
const maxValuesPerQuery = 500;

/** Divides the values of a query into parts, each of which one query takes. */
export function* inParts<Value>(values: readonly Value[]): Generator<readonly Value[]> {
  for (let start = 0; start < values.length; start += maxValuesPerQuery) {
    yield values.slice(start, start + maxValuesPerQuery);
  }
}
