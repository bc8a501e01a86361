import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Dialect, Kysely, SqliteDialect } from 'kysely';
import { migrateToLatest } from './schema/migrate.ts';
import type { StoreTables } from './schema/tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import { databaseError, KeyStoreError } from './store-faults.ts';

/** SQLite's location of a database in memory, which is lost with its connection. */
const inMemory = ':memory:';

/** How long a write waits for the lock of another process, blocking this one. Reads never wait in WAL mode. */
const busyTimeoutMs = { command: 5000, service: 20 };

/** Opens an SQLite file, which is created when missing (mode 0600, new folders 0700). Throws a `KeyStoreError`. */
export async function openSqlite(path: string, use: keyof typeof busyTimeoutMs): Promise<SqlDatabase> {
  const location = path === inMemory ? path : resolve(path);
  try {
    const database = await openDatabase(location, use);
    const file = new OpenFile(location);
    const prepare = (sql: string): StatementSync => {
      // A transaction is undone even in a file that is gone: it may be put back. On a full disk SQLite has undone it, and would refuse.
      if (sql === 'rollback') return database.prepare(database.isTransaction ? sql : 'select null');
      file.assertInPlace();
      return database.prepare(sql);
    };
    const dialect = nodeSqliteDialect({ prepare }, (error) => databaseError(location, 'used', error));
    return {
      db: new Kysely<StoreTables>({ dialect }),
      whenNotBusy: (action) => retryWhileBusy(action, requestRetry),
      locksRows: false,
      isGone: () => file.isGone,
      close: async () => {
        if (database.isOpen) database.close();
      },
    };
  } catch (error) {
    throw databaseError(location, 'opened', error);
  }
}

async function openDatabase(location: string, use: keyof typeof busyTimeoutMs): Promise<DatabaseSync> {
  if (location !== inMemory) {
    mkdirSync(dirname(location), { recursive: true, mode: 0o700 });
    createPrivateFile(location);
  }
  const database = new DatabaseSync(location);
  try {
    // Other connections, of any process, can read while one writes.
    await retryWhileBusy(() => database.exec('pragma journal_mode = wal'), openRetry);
    // A loss of power undoes no commit (https://www.sqlite.org/pragma.html#pragma_synchronous).
    database.exec('pragma synchronous = full');
    await migrate(database);
    database.exec(`pragma busy_timeout = ${busyTimeoutMs[use]}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function migrate(database: DatabaseSync): Promise<void> {
  const db = new Kysely<StoreTables>({ dialect: nodeSqliteDialect(database, (error) => error) });
  // The holder of the lock may be in this process, which a busy timeout would block.
  await retryWhileBusy(() => database.exec('begin immediate'), openRetry);
  try {
    await migrateToLatest(db);
    // SQLite opens a file that it may only read, and takes no write lock on it: the first write fails, of however many rows.
    database.exec('delete from cluster where false');
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function createPrivateFile(path: string): void {
  try {
    // Never opens a file that exists ('x'): closing any descriptor of a file drops all the locks this process holds
    // on it (https://www.sqlite.org/howtocorrupt.html, section 2.2). SQLite gives -wal and -shm the mode of this file.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    // A symbolic link to a file that is not there yet: it is made where the link leads.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  }
}

const openRetry = { timeoutMs: 10_000, pauseMs: 10 };
/** Of a write that a request waits for. While the file is locked, each attempt blocks a service for some 20 ms. */
const requestRetry = { timeoutMs: 1000, pauseMs: 80 };

/**
 * Runs an action that needs the lock of an SQLite file, and retries it without blocking while another connection holds the lock.
 *
 * Throws what the action throws: any other error at once, and the busy one once the time has passed.
 */
async function retryWhileBusy<Result>(
  action: () => Result | Promise<Result>,
  { timeoutMs, pauseMs }: typeof openRetry,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A fault that has words has SQLite's own error as its cause.
  if (!('errcode' in error)) return isBusy(error.cause);
  // The low byte of an extended result code is its primary code (https://www.sqlite.org/rescode.html).
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === sqliteBusy;
}

/**
 * The file that was opened at a path.
 *
 * What is written to a deleted or replaced file is seen by no other process, and by no later one, so no query may use it.
 */
class OpenFile {
  readonly #path: string;
  readonly #identity: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#identity = identityOf(path);
  }

  /** Whether the file was deleted, moved or replaced, or cannot be looked at. */
  get isGone(): boolean {
    try {
      this.assertInPlace();
      return false;
    } catch {
      return true;
    }
  }

  /** Throws a `KeyStoreError` unless the file is still at its path. */
  assertInPlace(): void {
    let identity: string | undefined;
    try {
      identity = identityOf(this.#path);
    } catch (error) {
      throw databaseError(this.#path, 'used', error);
    }
    if (identity === this.#identity) return;
    throw new KeyStoreError(
      `DATABASE_URL: the database ${this.#path} is gone: its file was deleted, moved or replaced. Put it back; ` +
        'docs/operate/stores.md says how to use another file.',
    );
  }
}

// An inode number is not reused while the file is open; in memory there is none.
function identityOf(path: string): string | undefined {
  if (path === inMemory) return undefined;
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
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
