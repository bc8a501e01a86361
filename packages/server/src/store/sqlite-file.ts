import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

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

const sqliteBusy = 5;
const retryMs = 10;
const defaultLockTimeoutMs = 10_000;
/** How long a write that a request waits for waits for the lock. */
const requestLockTimeoutMs = 1000;
/** While the file is locked, each attempt blocks a service for some 20 ms. */
const requestPauseMs = 80;

/**
 * Runs an action that needs the lock of an SQLite file, and retries it without blocking while another connection holds the lock.
 *
 * Throws what the action throws: any other error at once, and the busy one once `timeoutMs` have passed.
 */
async function whenNotBusy<Result>(
  action: () => Result | Promise<Result>,
  timeoutMs = defaultLockTimeoutMs,
  pauseMs = retryMs,
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

/** As `whenNotBusy`, for a write that a request waits for: gives up after 1 s, and blocks the process for a fifth of it. */
export function whenSoonNotBusy<Result>(action: () => Result | Promise<Result>): Promise<Result> {
  return whenNotBusy(action, requestLockTimeoutMs, requestPauseMs);
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A fault that has words has SQLite's own error as its cause.
  if (!('errcode' in error)) return isBusy(error.cause);
  // The low byte of an extended result code is its primary code (https://www.sqlite.org/rescode.html).
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === sqliteBusy;
}
