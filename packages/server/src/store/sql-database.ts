import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { StoreTables } from './schema/tables.ts';

/** A database that is open, at the newest schema, and what differs between SQLite and PostgreSQL. */
export interface SqlDatabase {
  db: Kysely<StoreTables>;
  whenNotBusy: WhenNotBusy;
  /** Whether a query can lock the rows that it reads, and pass over locked ones: a transaction of SQLite locks the file. */
  locksRows: boolean;
  /** Whether the database itself is gone, such as a file that was deleted or replaced: the operator must act. */
  isGone(): boolean;
  /** Releases the database, which must not be used afterwards. */
  close(): Promise<void>;
}

/** Runs a write, and again for a while as long as another process has the database locked. */
export type WhenNotBusy = <Result>(action: () => Promise<Result>) => Promise<Result>;

/** Runs an action in one transaction. */
export function inTransaction<Result>(
  { db, whenNotBusy }: Pick<SqlDatabase, 'db' | 'whenNotBusy'>,
  action: (transaction: Transaction<StoreTables>) => Promise<Result>,
): Promise<Result> {
  return whenNotBusy(() => db.transaction().execute(action));
}

/**
 * Runs writes in one transaction, unless there is one alone, which is one by itself.
 *
 * Resolves to the first one that changed no row, because of which none is kept; to `undefined` when each changed some.
 */
export function writeTogether(
  { db, whenNotBusy }: Pick<SqlDatabase, 'db' | 'whenNotBusy'>,
  ...writes: readonly CompiledQuery[]
): Promise<CompiledQuery | undefined> {
  return whenNotBusy(() => writeOnce(db, writes));
}

async function writeOnce(
  db: Kysely<StoreTables>,
  writes: readonly CompiledQuery[],
): Promise<CompiledQuery | undefined> {
  const changesNothing = async (on: Kysely<StoreTables>, write: CompiledQuery) =>
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

/** Far below the bound of a statement: SQLite allows 32,766 parameters in a query, PostgreSQL 65,535. */
const maxValuesPerQuery = 500;

/** Divides the values of a query into parts, each of which one query takes. */
export function* inParts<Value>(values: readonly Value[]): Generator<readonly Value[]> {
  for (let start = 0; start < values.length; start += maxValuesPerQuery) {
    yield values.slice(start, start + maxValuesPerQuery);
  }
}
