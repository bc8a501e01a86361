import { realpathSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { KeyStoreError } from './key-store.ts';
import type { KeyChanges } from './sql-key-store.ts';
import { explainSqliteFault } from './sqlite-fault.ts';
import { inMemory } from './sqlite-file.ts';

const pollIntervalMs = 100;
const reopenPauseMs = 1000;
const logSuffixes = ['-wal', '-shm'];

interface OpenFile {
  database: DatabaseSync;
  /** Which file it is, wherever it may be moved; `undefined` in memory. */
  identity: string | undefined;
  /** Where it is, symbolic links resolved: SQLite keeps its log next to that. */
  realPath: string;
  /** Which files its log is in, by their suffix. */
  logs: ReadonlyMap<string, string | undefined>;
}

/**
 * The connection to an SQLite file: follows the path to another file when that one takes its place.
 *
 * While there is no file at the path, every query fails with a `KeyStoreError`: the connection would go on with the deleted
 * one, whose changes no other process sees. Files and changes are looked at ten times a second, once it watches.
 */
export class SqliteConnection implements KeyChanges {
  readonly #path: string;
  readonly #open: () => Promise<DatabaseSync>;
  #file: OpenFile;
  #fault: KeyStoreError | undefined;
  #version: unknown;
  #timer: NodeJS.Timeout | undefined;
  #reopening: Promise<void> | undefined;
  #reopenAt = Number.NEGATIVE_INFINITY;

  /** Takes over `database`, which is at `path`; `open` opens the path again, at the newest schema. */
  constructor(path: string, database: DatabaseSync, open: () => Promise<DatabaseSync>) {
    this.#path = path;
    this.#open = open;
    this.#file = describe(path, database);
  }

  /** Whether the file is gone, or its successor cannot be opened. */
  get isGone(): boolean {
    return this.#fault !== undefined;
  }

  /** Prepares a statement on the file that is at the path now. */
  prepare(sql: string): StatementSync {
    if (this.#fault) throw this.#fault;
    return this.#file.database.prepare(sql);
  }

  watch(onChange: () => void): void {
    this.#version = versionOf(this.#file.database);
    this.#timer = setInterval(() => {
      try {
        this.#look(onChange);
      } catch (error) {
        this.#fault = explainSqliteFault(error, this.#path, 'used');
      }
    }, pollIntervalMs);
    this.#timer.unref();
  }

  // Other connections look for themselves.
  async tell(): Promise<void> {}

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reopening;
    closeIfOpen(this.#file.database);
  }

  #look(onChange: () => void): void {
    if (this.#reopening) return;
    const identity = identityOf(this.#path);
    if (identity !== undefined && identity !== this.#file.identity) {
      if (performance.now() < this.#reopenAt) return;
      this.#reopening = this.#reopen(onChange).finally(() => {
        this.#reopening = undefined;
      });
      return;
    }
    this.#fault = identity === this.#file.identity ? undefined : goneFault(this.#path);
    if (this.#fault) return;
    const version = versionOf(this.#file.database);
    if (version !== this.#version) onChange();
    this.#version = version;
  }

  async #reopen(onChange: () => void): Promise<void> {
    this.#fault = goneFault(this.#path);
    try {
      releaseDisplaced(this.#file);
      const database = await this.#open();
      this.#file = describe(this.#path, database);
      this.#version = versionOf(database);
      this.#fault = undefined;
      onChange();
    } catch (error) {
      this.#fault = explainSqliteFault(error, this.#path, 'opened');
      this.#reopenAt = performance.now() + reopenPauseMs;
    }
  }
}

function describe(path: string, database: DatabaseSync): OpenFile {
  if (path === inMemory) return { database, identity: undefined, realPath: path, logs: new Map() };
  const realPath = realpathSync(path);
  const logs = new Map(logSuffixes.map((suffix) => [suffix, identityOf(realPath + suffix)]));
  return { database, identity: identityOf(path), realPath, logs };
}

/**
 * Closes a file that another one has displaced, and removes its log from next to the other.
 *
 * SQLite would take the log for the other's, and write the old keys over the new ones
 * (https://www.sqlite.org/howtocorrupt.html, section 1.4). What is in the log is first put into the old file, wherever that is.
 */
function releaseDisplaced({ database, identity, realPath, logs }: OpenFile): void {
  if (database.isOpen && identityOf(realPath) !== identity) {
    database.exec('pragma wal_checkpoint(passive)');
    for (const [suffix, log] of logs) {
      if (log !== undefined && identityOf(realPath + suffix) === log) rmSync(realPath + suffix);
    }
  }
  closeIfOpen(database);
}

function closeIfOpen(database: DatabaseSync): void {
  if (database.isOpen) database.close();
}

// A number of a file is given to another only once nothing has the file open.
function identityOf(path: string): string | undefined {
  if (path === inMemory) return undefined;
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Differs after a commit of any other connection (https://www.sqlite.org/pragma.html#pragma_data_version). */
function versionOf(database: DatabaseSync): unknown {
  return database.prepare('pragma data_version').get()?.data_version;
}

function goneFault(path: string): KeyStoreError {
  return new KeyStoreError(
    `DATABASE_URL: the key store ${path} is gone: its file was deleted or moved. ` +
      'Put it back, or make a new one there with npm run keys; it is then used without a restart.',
  );
}
