import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery, Kysely } from 'kysely';
import type { StoreTables } from './schema/tables.ts';
import { type SqliteConnection, toSqlValue } from './sqlite-connection.ts';
import { whenSoonNotBusy } from './sqlite-file.ts';

interface WaitingWrites {
  queries: readonly CompiledQuery[];
  resolve: (refused: CompiledQuery | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes to an SQLite file so that a loss of power does not undo it.
 *
 * The process stands still while the disk writes: all writes of one turn of the event loop therefore share one commit.
 */
export class SqliteDurableWrites {
  readonly #db: Kysely<StoreTables>;
  readonly #connection: SqliteConnection;
  #waiting: WaitingWrites[] = [];

  /** `db` runs its queries on `connection`. */
  constructor(db: Kysely<StoreTables>, connection: SqliteConnection) {
    this.#db = db;
    this.#connection = connection;
  }

  /**
   * Runs writes one after another, all or none of which are kept.
   *
   * Resolves to the first one that changed no row, because of which none is kept; to `undefined` when each changed some. Rejects
   * when any write of its turn fails.
   */
  write(...queries: readonly CompiledQuery[]): Promise<CompiledQuery | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ queries, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => void this.#commit());
    });
  }

  async #commit(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      // Through Kysely, so that it is not in the middle of another transaction of this connection.
      const refused = await whenSoonNotBusy(() =>
        this.#db
          .connection()
          .execute(async () =>
            this.#connection.commitOnDisk((database) => waiting.map(({ queries }) => runTogether(database, queries))),
          ),
      );
      for (const [index, { resolve }] of waiting.entries()) resolve(refused[index]);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

function runTogether(database: DatabaseSync, queries: readonly CompiledQuery[]): CompiledQuery | undefined {
  const changesNothing = ({ sql, parameters }: CompiledQuery): boolean =>
    Number(database.prepare(sql).run(...parameters.map(toSqlValue)).changes) === 0;
  // One write that changed nothing leaves nothing to undo.
  if (queries.length === 1) return queries.find(changesNothing);
  database.exec('savepoint writes');
  const refused = queries.find(changesNothing);
  if (refused) database.exec('rollback to writes');
  database.exec('release writes');
  return refused;
}
