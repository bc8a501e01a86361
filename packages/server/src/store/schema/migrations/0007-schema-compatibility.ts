import type { Migration } from 'kysely/migration';

/** Adds the table that says which programs may still use the database after a migration. */
export const schemaCompatibility: Migration = {
  async up(db) {
    await db.schema
      .createTable('schema_compatibility')
      .addColumn('migration', 'text', (column) => column.primaryKey().notNull())
      .addColumn('compatible_from', 'integer', (column) => column.notNull())
      .execute();
  },
};
