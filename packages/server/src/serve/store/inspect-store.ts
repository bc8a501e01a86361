import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { hasActiveKey } from '../../keys/records/key-rows.ts';
import { type MadeSteps, readMadeSteps } from '../../store/schema/migrate.ts';
import { schemaSteps } from '../../store/schema/schema-steps.ts';
import type { StoreTables } from '../../store/schema/tables.ts';
import { nodeSqliteDialect } from '../../store/sqlite-connection.ts';

/** The condition of a database with API keys. */
export interface StoreCondition extends MadeSteps {
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
    const { postgresDialect } = await import('../../store/postgres-connection.ts');
    const db = new Kysely<StoreTables>({ dialect: postgresDialect(databaseUrl, timeouts, 1) });
    return inspect(db, now).finally(() => db.destroy());
  }
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    const verdict = String(row?.quick_check);
    if (verdict !== 'ok') {
      return { missing: [], compatible: [], incompatible: [], hasActiveKey: undefined, damage: verdict };
    }
    return await inspect(new Kysely({ dialect: nodeSqliteDialect(database, (error) => error) }), now);
  } finally {
    database.close();
  }
}

async function inspect(db: Kysely<StoreTables>, now: Date): Promise<StoreCondition> {
  const made = await readMadeSteps(db);
  const hasKeys = made.missing.length < schemaSteps.length;
  return { ...made, hasActiveKey: hasKeys ? await hasActiveKey(db, now) : undefined, damage: undefined };
}
