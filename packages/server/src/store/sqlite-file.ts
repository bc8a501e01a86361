import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { whenNotBusy } from './sqlite-busy.ts';

/** SQLite's location of a database in memory, which is lost with its connection. */
export const inMemory = ':memory:';

/**
 * Opens an SQLite file, which is created when missing (mode 0600, new folders 0700).
 *
 * A file or folder that exists keeps its mode. Throws the system's or SQLite's error.
 */
export function openSqliteFile(location: string): DatabaseSync {
  if (location !== inMemory) {
    mkdirSync(dirname(location), { recursive: true, mode: 0o700 });
    createPrivateFile(location);
  }
  return new DatabaseSync(location);
}

/** Switches to SQLite's WAL mode: other connections, of any process, can read while one writes. */
export function shareSqliteFile(database: DatabaseSync): Promise<void> {
  return whenNotBusy(() => database.exec('pragma journal_mode = wal'));
}

/**
 * Makes every later write of this connection wait for the lock, for up to `timeoutMs`, instead of failing at once.
 *
 * The wait blocks the process. Reads never wait in WAL mode.
 */
export function waitForOtherWriters(database: DatabaseSync, timeoutMs: number): void {
  database.exec(`pragma busy_timeout = ${timeoutMs}`);
}

/**
 * Makes later commits of this connection return before the system has written them to disk, which may take long. A loss of
 * power can undo the last ones, and nothing else (https://www.sqlite.org/pragma.html#pragma_synchronous, in WAL mode).
 */
export function commitWithoutDisk(database: DatabaseSync): void {
  database.exec('pragma synchronous = normal');
}

/**
 * Runs an action in one transaction, which is on the disk when this returns; nothing is kept when it throws.
 *
 * Later commits are again as they were before. Not to be used within a transaction.
 */
export function commitOnDisk<Result>(database: DatabaseSync, action: () => Result): Result {
  const before = database.prepare('pragma synchronous').get()?.synchronous;
  try {
    database.exec('pragma synchronous = full');
    database.exec('begin immediate');
    const result = action();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  } finally {
    database.exec(`pragma synchronous = ${before}`);
  }
}

/**
 * Runs an action in one transaction that holds the write lock; nothing is kept when it throws.
 *
 * Waits up to 10 s for the lock, without blocking the process, because the holder may be in the same process. To be used
 * before `waitForOtherWriters`.
 */
export async function withWriteLock(database: DatabaseSync, action: () => Promise<void>): Promise<void> {
  await whenNotBusy(() => database.exec('begin immediate'));
  try {
    await action();
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
