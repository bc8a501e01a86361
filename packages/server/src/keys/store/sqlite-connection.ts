import { realpathSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeyChanges } from './key-changes.ts';
import { KeyStoreError } from './key-store.ts';
import { explainSqliteFault } from './sqlite-fault.ts';
import { commitOnDisk, inMemory } from './sqlite-file.ts';

const pollIntervalMs = 100;
const reopenPauseMs = 1000;
const logSuffixes = ['-wal', '-shm'];

interface OpenFile {
  database: DatabaseSync;
  /** Identifies the file even after a move; `undefined` in memory. */
  identity: string | undefined;
  /** Its path with symbolic links resolved: SQLite keeps its log next to it. */
  realPath: string;
  /** The identities of the files of its log, by their suffix. */
  logs: ReadonlyMap<string, string | undefined>;
}

/**
 * The connection to an SQLite file. When another file replaces it at the path, that one is opened.
 *
 * While there is no file at the path, every query fails with a `KeyStoreError`: otherwise the connection would continue on the
 * deleted file, whose changes no other process sees. Once it watches, it checks for changes ten times a second.
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

  /** Takes over `database`, the file at `path`; `open` opens that path again, at the newest schema. */
  constructor(path: string, database: DatabaseSync, open: () => Promise<DatabaseSync>) {
    this.#path = path;
    this.#open = open;
    this.#file = describe(path, database);
  }

  /** Whether the file is gone, or its successor cannot be opened. */
  get isGone(): boolean {
    return this.#fault !== undefined;
  }

  /** Prepares a statement on the file now at the path. */
  prepare(sql: string): StatementSync {
    if (this.#fault) throw this.#fault;
    return this.#file.database.prepare(sql);
  }

  /**
   * Runs an action on the file now at the path, in one transaction, which is on the disk when this returns.
   *
   * Blocks the process meanwhile. Not to be used within a transaction.
   */
  commitOnDisk<Result>(action: (database: DatabaseSync) => Result): Result {
    if (this.#fault) throw this.#fault;
    const { database } = this.#file;
    try {
      return commitOnDisk(database, () => action(database));
    } catch (error) {
      throw explainSqliteFault(error, this.#path, 'used');
    }
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

  // Other connections poll the file themselves.
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
 * Closes a file that another one has replaced, and removes its log, which now lies next to the new file.
 *
 * SQLite would take the log for the new file's, and write the old keys over the new ones
 * (https://www.sqlite.org/howtocorrupt.html, section 1.4). The log is first written into the old file, wherever that is.
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
    `DATABASE_URL: the key store ${path} is gone: its file was deleted or moved. ` +
      'Put it back, or make a new one there with npm run keys; it is then used without a restart.',
  );
}
