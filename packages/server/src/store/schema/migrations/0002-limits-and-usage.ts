import type { Migration } from 'kysely/migration';

/** Adds the limits of keys, the time of their last use, and the tables of usage. */
export const limitsAndUsage: Migration = {
  async up(db) {
    // SQLite adds only one column per statement.
    await db.schema.alterTable('api_keys').addColumn('last_used_at', 'bigint').execute();
    await db.schema.alterTable('api_keys').addColumn('rate_limit_per_minute', 'integer').execute();
    for (const column of ['allowed_operations', 'allowed_mints', 'allowed_from_addresses']) {
      await db.schema.alterTable('api_keys').addColumn(column, 'text').execute();
    }
    await db.schema
      .createTable('key_usage')
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('requests', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('key_usage_primary_key', ['key_id', 'day', 'outcome'])
      .execute();
    await db.schema
      .createTable('key_usage_writers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('last_batch', 'bigint', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
