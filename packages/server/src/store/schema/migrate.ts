import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type SchemaStep, schemaSteps } from './schema-steps.ts';
import type { StoreTables } from './tables.ts';

/** A database that a newer program has changed in a way that this one does not know. */
class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  constructor(steps: readonly string[]) {
    super(`a newer version has changed it in a way that this version does not know: ${steps.join(', ')}`);
  }
}

/**
 * Brings the key database to the newest schema; does nothing when it is there already, or newer in a compatible way.
 *
 * Throws what the failed migration threw, and a `NewerSchemaError` for a database that this program must not use.
 */
export async function migrateToLatest(
  db: Kysely<StoreTables>,
  steps: readonly SchemaStep[] = schemaSteps,
): Promise<void> {
  const { missing, compatible, incompatible } = await readMadeSteps(db, steps);
  if (incompatible.length > 0) throw new NewerSchemaError(incompatible);
  if (missing.length === 0) return;
  // Steps are made in their order: a database that has later ones already is one of a program with another past.
  if (compatible.length > 0) throw new NewerSchemaError(compatible);
  const migrations = Object.fromEntries(steps.map((step) => [step.name, migrationOf(step)]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Notes in the same transaction who may use the database afterwards. */
function migrationOf({ name, migration, compatibleFrom }: SchemaStep): Migration {
  return {
    async up(db: Kysely<StoreTables>) {
      await migration.up(db);
      await db
        .insertInto('schema_compatibility')
        .values({ migration: name, compatible_from: compatibleFrom })
        .execute();
    },
  };
}

/** What a database has of the schema, as one program sees it. */
export interface MadeSteps {
  /** The steps of this program that were not made yet. */
  missing: readonly string[];
  /** Steps of newer programs after which this program may use the database all the same. */
  compatible: readonly string[];
  /** Steps of newer programs after which it may not. */
  incompatible: readonly string[];
}

const migrationTable = 'kysely_migration';
const compatibilityTable = 'schema_compatibility';

/** Reads which steps were made, and changes nothing. */
export async function readMadeSteps(
  db: Kysely<StoreTables>,
  steps: readonly SchemaStep[] = schemaSteps,
): Promise<MadeSteps> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const hasTable = (table: string): boolean => tables.some(({ name }) => name === table);
  const made = hasTable(migrationTable) ? await namesOfMade(db) : [];
  const compatibleFrom = hasTable(compatibilityTable) ? await compatibilityOfMade(db) : new Map<string, number>();
  const newer = made.filter((name) => !steps.some((step) => step.name === name));
  const isCompatible = (name: string): boolean =>
    (compatibleFrom.get(name) ?? Number.POSITIVE_INFINITY) <= steps.length;
  return {
    missing: steps.map(({ name }) => name).filter((name) => !made.includes(name)),
    compatible: newer.filter(isCompatible),
    incompatible: newer.filter((name) => !isCompatible(name)),
  };
}

async function namesOfMade(db: Kysely<StoreTables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)} order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function compatibilityOfMade(db: Kysely<StoreTables>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{
    migration: string;
    compatible_from: number;
  }>`select migration, compatible_from from ${sql.table(compatibilityTable)}`.execute(db);
  return new Map(rows.map(({ migration, compatible_from: from }) => [migration, from]));
}
