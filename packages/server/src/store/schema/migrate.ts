import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { readMadeSteps } from './made-steps.ts';
import { type SchemaStep, schemaSteps } from './schema-steps.ts';
import type { SchemaTables } from './schema-tables.ts';

/** A database that a newer program has changed in a way that this one does not know. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
  readonly remedy =
    'Start that version or a later one, or restore the backup from before it: docs/operate/upgrade.md says how';

  constructor(steps: readonly string[]) {
    super(`a newer version has changed it in a way that this version does not know (${steps.join(', ')})`);
  }
}

/**
 * Brings the key database to the newest schema; does nothing when it is there already, or newer in a compatible way.
 *
 * Throws what the failed migration threw, and a `NewerSchemaError` for a database that this program must not use.
 */
export async function migrateToLatest(
  db: Kysely<SchemaTables>,
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
  if (compatibleFrom === undefined) return migration;
  return {
    async up(db: Kysely<SchemaTables>) {
      await migration.up(db);
      await db
        .insertInto('schema_compatibility')
        .values({ migration: name, compatible_from: compatibleFrom })
        .execute();
    },
  };
}
