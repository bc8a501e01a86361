import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { NewerSchemaError } from './schema/migrate.ts';
import { KeyStoreError, storeFaultOf } from './store-faults.ts';

/** The primary result codes of SQLite that an operator can do something about (https://www.sqlite.org/rescode.html). */
const sqliteCodes = new Map([
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [26, 'SQLITE_NOTADB'],
]);

const useAnotherFile = 'Name a file in a folder that this user can write, or one made by this version or an older one';

/**
 * Returns an error whose one sentence names the SQLite file, the reason as far as the system reports it, and the remedy.
 *
 * Checks the file and its folder, because SQLite reports "disk I/O error" or "unable to open" for a full disk and for a
 * read-only one alike. `path` is absolute; `error` is kept as the cause.
 */
export function explainSqliteFault(error: unknown, path: string, attempt: 'opened' | 'used'): KeyStoreError {
  if (error instanceof KeyStoreError) return error;
  const { reason, remedy } = explain(error, path);
  const message = `DATABASE_URL: the key store ${path} cannot be ${attempt}: ${reason}. ${remedy}.`;
  return new KeyStoreError(message, { cause: error });
}

function explain(error: unknown, path: string): { reason: string; remedy: string } {
  if (error instanceof NewerSchemaError) return { reason: error.message, remedy: error.remedy };
  const code = codeOf(error);
  switch (code) {
    case 'SQLITE_FULL':
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(path, code);
    case 'SQLITE_IOERR':
      if (isDiskFull(path)) return diskFull(path, code);
      return {
        reason: `the disk of ${path} failed, is full, or has a limit on the size of files (${code})`,
        remedy: 'Look at the disk, free space there, and try again',
      };
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return {
        reason: `another process has it locked (${code})`,
        remedy: 'Try again when that process is done',
      };
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return { reason: `it is not an SQLite database, or is damaged (${code})`, remedy: useAnotherFile };
    case 'SQLITE_READONLY':
    case 'SQLITE_CANTOPEN':
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
    // Node's code for a folder that it may not create.
    case 'ENOENT':
      return notWritable(path, code) ?? { reason: `${storeFaultOf(error)} (${code})`, remedy: useAnotherFile };
    default:
      return { reason: storeFaultOf(error), remedy: useAnotherFile };
  }
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The low byte of an extended result code is its primary code.
  if ('errcode' in error && typeof error.errcode === 'number') return sqliteCodes.get(error.errcode & 0xff);
  return 'code' in error ? String(error.code) : undefined;
}

function diskFull(path: string, code: string) {
  return {
    reason: `the disk of ${path} is full (${code})`,
    remedy: 'Free space there and try again',
  };
}

function isDiskFull(path: string): boolean {
  try {
    return statfsSync(dirname(path)).bavail === 0;
  } catch {
    return false;
  }
}

/** Returns the reason and the remedy when the file, or else its folder, cannot be written; otherwise `undefined`. */
function notWritable(path: string, code: string): { reason: string; remedy: string } | undefined {
  const [file, folder] = [path, nearestFolderOf(path)];
  for (const checkedPath of existsSync(file) ? [file, folder] : [folder]) {
    switch (accessFaultOf(checkedPath)) {
      case undefined:
        continue;
      case 'EROFS':
        return {
          reason: `${checkedPath} is on a read-only file system (${code === 'ENOENT' ? 'EROFS' : code})`,
          remedy: 'Make it writable, or name a file elsewhere',
        };
      case 'EPERM':
        return {
          reason: `${checkedPath} is protected from changes, such as by chattr +i (${code})`,
          remedy: 'Take the protection away, or name a file elsewhere',
        };
      default:
        return {
          reason: `this user may not write ${checkedPath} (${code})`,
          remedy: 'Run this as the user who owns it, or name a file elsewhere',
        };
    }
  }
  return undefined;
}

function nearestFolderOf(path: string): string {
  const folder = dirname(path);
  return folder === path || existsSync(folder) ? folder : nearestFolderOf(folder);
}

function accessFaultOf(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}
