import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { parseConfig } from '../config.ts';
import { storeFaultOf } from '../store/store-faults.ts';
import { type CommandContext, configurationFault, RefusedError } from './command.ts';

/**
 * Copies the database of `DATABASE_URL` into a new file, also while the service runs.
 *
 * Resolves with the exit status. Throws a `RefusedError` for PostgreSQL, which has its own command, for a file that exists, and for a
 * database that cannot be copied: then there is no file.
 */
export async function runBackup(file: string, context: CommandContext): Promise<number> {
  const { DATABASE_URL, SOLANA_RPC_URLS } = context.environment;
  const parsed = parseConfig({ DATABASE_URL, SOLANA_RPC_URLS });
  if ('faults' in parsed) {
    context.stderr(`${parsed.faults.join('\n')}\n`);
    return configurationFault;
  }
  const [, path] = /^sqlite:(?!:memory:)(.+)$/.exec(parsed.config.databaseUrl) ?? [];
  if (path === undefined) {
    throw new RefusedError(
      'DATABASE_URL is no SQLite file. Back up PostgreSQL with pg_dump: pg_dump --format=custom --no-owner --file=keys.dump "$DATABASE_URL"',
    );
  }
  if (!existsSync(path)) throw new RefusedError(`There is no database at ${path}.`);
  if (existsSync(file)) throw new RefusedError(`${file} exists. Name a new file.`);
  // It has replies with transactions: other users of the machine must not read them, as they cannot read the database.
  writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    await backup(database, file);
  } catch (error) {
    // What is there is empty, and would be taken for the backup.
    rmSync(file);
    throw new RefusedError(`There is no copy of ${path}: ${storeFaultOf(error)}.`);
  }
  context.stdout(`${path} is copied to ${file}\n`);
  return 0;
}
