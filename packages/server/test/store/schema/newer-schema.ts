import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { postgresDialect } from '../../../src/store/postgres.ts';
import { migrateToLatest, type SchemaStep, schemaSteps } from '../../../src/store/schema/migrate.ts';
import type { StoreTables } from '../../../src/store/schema/tables.ts';
import { nodeSqliteDialect } from '../../../src/store/sqlite.ts';

const lastNumber = Number(schemaSteps.at(-1)?.name.slice(0, 4));
const nextNumber = String(lastNumber + 1).padStart(4, '0');

/** What a later version may do: a table, a column of a table that this version writes, an index. */
export const additiveStep: SchemaStep = {
  name: `${nextNumber}-made-up-addition`,
  compatibleFrom: 1,
  async make(db) {
    await db.schema.createTable('made_up').addColumn('id', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('made_up', 'text').execute();
    await db.schema.alterTable('idempotent_requests').addColumn('made_up', 'integer').execute();
    await db.schema.createIndex('made_up_index').on('api_keys').column('made_up').execute();
  },
};

/** What a later version may do only if it gives up the one before. */
export const breakingStep: SchemaStep = {
  name: `${nextNumber}-made-up-change`,
  compatibleFrom: lastNumber + 1,
  async make(db) {
    await db.schema.alterTable('api_keys').renameColumn('hash', 'digest').execute();
  },
};

/** Migrates the database of a `DATABASE_URL` as a later version would that has these steps more. */
export async function migrateAsLaterVersion(databaseUrl: string, ...steps: readonly SchemaStep[]): Promise<void> {
  const all = [...schemaSteps, ...steps];
  if (!databaseUrl.startsWith('sqlite:')) {
    const timeouts = { connectTimeoutMs: 5_000, queryTimeoutMs: 5_000 };
    const db = new Kysely<StoreTables>({ dialect: postgresDialect(databaseUrl, timeouts, 2) });
    const migrated = db.transaction().execute((transaction) => migrateToLatest(transaction, all));
    await migrated.finally(() => db.destroy());
    return;
  }
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
  try {
    database.exec('pragma busy_timeout = 5000');
    database.exec('begin immediate');
    await migrateToLatest(new Kysely({ dialect: nodeSqliteDialect(database, (error) => error) }), all);
    database.exec('commit');
  } finally {
    database.close();
  }
}
