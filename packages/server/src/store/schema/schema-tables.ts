/** The table of what migrations say of themselves, as Kysely sees it. */
export interface SchemaTables {
  schema_compatibility: SchemaCompatibilityRow;
}

/** Which programs may use the database after a migration; written with it. */
interface SchemaCompatibilityRow {
  /** The name of the migration, as in `kysely_migration`. */
  migration: string;
  /** The number of the oldest migration that a program must know. */
  compatible_from: number;
}
