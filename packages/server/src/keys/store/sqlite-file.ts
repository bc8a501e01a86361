import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { whenNotBusy } from './sqlite-busy.ts';

/** The location that SQLite takes for a database that lives and dies with its connection. */
export const inMemory = ':memory:';

/**
 * Opens an SQLite file, made first where there is none (mode 0600, its new folders 0700).
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

/** Lets other connections, of this process or another, read the file while one writes: SQLite's WAL mode. */
export function shareSqliteFile(database: DatabaseSync): Promise<void> {
  return whenNotBusy(() => database.exec('pragma journal_mode = wal'));
}

/**
 * Makes every later write of this connection wait its turn, so long at most, instead of failing at once.
 *
 * The wait blocks the process. Reads never wait in WAL mode.
 */
export function waitForOtherWriters(database: DatabaseSync, milliseconds: number): void {
  database.exec(`pragma busy_timeout = ${milliseconds}`);
}

/**
 * Makes later commits of this connection leave the disk to the system, which may take long: a loss of power can then undo
 * the last ones, and harm nothing else (https://www.sqlite.org/pragma.html#pragma_synchronous, in WAL mode).
 */
export function commitWithoutDisk(database: DatabaseSync): void {
  database.exec('pragma synchronous = normal');
}

/**
 * Runs an action while no other connection can write, in one transaction: all of it is kept, or none if it throws.
 *
 * Waits at most 10 s for the lock, without blocking the process, because its holder may be in the same one: to be used
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
