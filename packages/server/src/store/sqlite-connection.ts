import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type Dialect, SqliteDialect } from 'kysely';
import type { KeyChanges } from './sql-database.ts';
import { databaseError, KeyStoreError } from './store-faults.ts';

/** SQLite's location of a database in memory, which is lost with its connection. */
export const inMemory = ':memory:';

const pollIntervalMs = 100;

/**
 * The connection to an SQLite file.
 *
 * While the file at the path is not the one that is open, every query fails with a `KeyStoreError`: what is written to a
 * deleted or replaced file is seen by no other process, and by no later one. Once it watches, it looks at the file ten times a
 * second.
 */
export class SqliteConnection implements KeyChanges {
  readonly #path: string;
  readonly #database: DatabaseSync;
  /** Identifies the file even after a move; `undefined` in memory. */
  readonly #identity: string | undefined;
  #fault: KeyStoreError | undefined;
  #version: unknown;
  #timer: NodeJS.Timeout | undefined;

  /** Takes over `database`, the file at `path`. */
  constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
    this.#identity = identityOf(path);
  }

  /** Whether the file was deleted, moved or replaced, or cannot be read. */
  get isGone(): boolean {
    return this.#fault !== undefined;
  }

  /** Prepares a statement. */
  prepare(sql: string): StatementSync {
    if (this.#fault) throw this.#fault;
    return this.#database.prepare(sql);
  }

  watch(onChange: () => void): void {
    this.#version = versionOf(this.#database);
    this.#timer = setInterval(() => {
      try {
        this.#look(onChange);
      } catch (error) {
        this.#fault = databaseError(this.#path, 'used', error);
      }
    }, pollIntervalMs);
    this.#timer.unref();
  }

  // Other connections poll the file themselves.
  async tell(): Promise<void> {}

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#database.isOpen) this.#database.close();
  }

  #look(onChange: () => void): void {
    this.#fault = identityOf(this.#path) === this.#identity ? undefined : goneFault(this.#path);
    if (this.#fault) return;
    const version = versionOf(this.#database);
    if (version !== this.#version) onChange();
    this.#version = version;
  }
}

// An inode number is not reused while the file is open.
function identityOf(path: string): string | undefined {
  if (path === inMemory) return undefined;
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Returns a version that differs after a commit of any other connection (https://www.sqlite.org/pragma.html#pragma_data_version). */
function versionOf(database: DatabaseSync): unknown {
  return database.prepare('pragma data_version').get()?.data_version;
}

function goneFault(path: string): KeyStoreError {
  return new KeyStoreError(
    `DATABASE_URL: the database ${path} is gone: its file was deleted, moved or replaced. Put it back; ` +
      'docs/operate/stores.md says how to use another file.',
  );
}

/**
 * Makes a dialect that runs queries on a `node:sqlite` database, which its owner closes.
 *
 * The error of a failed query is replaced by what `explain` returns.
 */
export function nodeSqliteDialect(
  database: Pick<DatabaseSync, 'prepare'>,
  explain: (error: unknown) => unknown,
): Dialect {
  const explained = <Result>(action: () => Result): Result => {
    try {
      return action();
    } catch (error) {
      throw error instanceof Error && 'errcode' in error ? explain(error) : error;
    }
  };
  return new SqliteDialect({
    database: {
      close: () => undefined,
      prepare(sql) {
        const statement = explained(() => database.prepare(sql));
        return {
          // Only statements that return rows (SELECT, or a write with RETURNING) have result columns.
          reader: statement.columns().length > 0,
          all: (parameters) => explained(() => statement.all(...parameters.map(toSqlValue))),
          run: (parameters) => explained(() => statement.run(...parameters.map(toSqlValue))),
          iterate: (parameters) => statement.iterate(...parameters.map(toSqlValue)),
        };
      },
    },
  });
}

/** Returns a parameter of a query as SQLite takes it. Throws a `TypeError` for what no column holds. */
function toSqlValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`no column of the key database holds a value of type ${typeof value}`);
}
