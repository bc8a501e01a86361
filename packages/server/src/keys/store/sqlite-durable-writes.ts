import type { CompiledQuery, Kysely } from 'kysely';
import type { KeyTables } from './key-tables.ts';
import { whenSoonNotBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { toSqlValue } from './sqlite-dialect.ts';

interface WaitingWrite {
  query: CompiledQuery;
  resolve: (changes: bigint) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes to an SQLite file so that a loss of power does not undo it.
 *
 * The process stands still while the disk writes: all writes of one turn of the event loop therefore share one commit.
 */
export class SqliteDurableWrites {
  readonly #db: Kysely<KeyTables>;
  readonly #connection: SqliteConnection;
  #waiting: WaitingWrite[] = [];

  /** `db` runs its queries on `connection`. */
  constructor(db: Kysely<KeyTables>, connection: SqliteConnection) {
    this.#db = db;
    this.#connection = connection;
  }

  /** Runs one write; resolves to the number of rows that it changed, and rejects when any of its turn fails. */
  write(query: CompiledQuery): Promise<bigint> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => void this.#commit());
    });
  }

  async #commit(): Promise<void> {
    const writes = this.#waiting;
    this.#waiting = [];
    const queries = writes.map(({ query }) => query);
    try {
      // Through Kysely, so that it is not in the middle of another transaction of this connection.
      const changes = await whenSoonNotBusy(() =>
        this.#db
          .connection()
          .execute(async () =>
            this.#connection.commitOnDisk((database) =>
              queries.map(({ sql, parameters }) => database.prepare(sql).run(...parameters.map(toSqlValue)).changes),
            ),
          ),
      );
      for (const [index, { resolve }] of writes.entries()) resolve(BigInt(changes[index] ?? 0));
    } catch (error) {
      for (const { reject } of writes) reject(error);
    }
  }
}
