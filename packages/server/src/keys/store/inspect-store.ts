import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import type { KeyTables } from './key-tables.ts';
import { migrationNames } from './migrate.ts';
import { hasActiveKey } from './sql-key-store.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';

/** The condition of a database with API keys. */
export interface StoreCondition {
  /** The migrations that the service makes when it starts. */
  missing: readonly string[];
  /** Migrations that this version does not know. */
  unknown: readonly string[];
  /** Whether any key would be accepted; undefined where the table is not there yet. */
  hasActiveKey: boolean | undefined;
  /** What SQLite finds wrong with its file; undefined when there is nothing. */
  damage: string | undefined;
}

const timeouts = { connectTimeoutMs: 5_000, queryTimeoutMs: 10_000 };

/** Looks at the database of a `DATABASE_URL` that exists, and changes nothing. Throws what the driver throws. */
export async function inspectStore(databaseUrl: string, now: Date): Promise<StoreCondition> {
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
  if (path === undefined) {
    const { postgresDialect } = await import('./postgres-connection.ts');
    const db = new Kysely<KeyTables>({ dialect: postgresDialect(databaseUrl, timeouts, 1) });
    return inspect(db, now).finally(() => db.destroy());
  }
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    const verdict = String(row?.quick_check);
    if (verdict !== 'ok') return { missing: [], unknown: [], hasActiveKey: undefined, damage: verdict };
    return await inspect(new Kysely({ dialect: nodeSqliteDialect(database, (error) => error) }), now);
  } finally {
    database.close();
  }
}

async function inspect(db: Kysely<KeyTables>, now: Date): Promise<StoreCondition> {
  const made = await madeMigrations(db);
  const missing = migrationNames.filter((name) => !made.includes(name));
  const unknown = made.filter((name) => !migrationNames.includes(name));
  const hasKeys = missing.length < migrationNames.length;
  return { missing, unknown, hasActiveKey: hasKeys ? await hasActiveKey(db, now) : undefined, damage: undefined };
}

async function madeMigrations(db: Kysely<KeyTables>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}
