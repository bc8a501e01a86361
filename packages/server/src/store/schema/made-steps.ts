import { type Kysely, sql } from 'kysely';
import { type SchemaStep, schemaSteps } from './schema-steps.ts';
import type { SchemaTables } from './schema-tables.ts';

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
  db: Kysely<SchemaTables>,
  steps: readonly SchemaStep[] = schemaSteps,
): Promise<MadeSteps> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const hasTable = (table: string): boolean => tables.some(({ name }) => name === table);
  const made = hasTable(migrationTable) ? await namesOfMade(db) : [];
  const compatibleFrom = hasTable(compatibilityTable) ? await compatibilityOfMade(db) : new Map<string, number>();
  const newer = made.filter((name) => !steps.some((step) => step.name === name));
  // A step without a row is one of a program that does not know the rule.
  const isCompatible = (name: string): boolean =>
    (compatibleFrom.get(name) ?? Number.POSITIVE_INFINITY) <= steps.length;
  return {
    missing: steps.map(({ name }) => name).filter((name) => !made.includes(name)),
    compatible: newer.filter(isCompatible),
    incompatible: newer.filter((name) => !isCompatible(name)),
  };
}

async function namesOfMade(db: Kysely<SchemaTables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)} order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function compatibilityOfMade(db: Kysely<SchemaTables>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{
    migration: string;
    compatible_from: number;
  }>`select migration, compatible_from from ${sql.table(compatibilityTable)}`.execute(db);
  return new Map(rows.map(({ migration, compatible_from: from }) => [migration, from]));
}
