import type { Migration } from 'kysely/migration';

/** Adds the wallets that a key may pay, its amount limits, and the table of daily sums. */
export const recipientsAndAmounts: Migration = {
  async up(db) {
    // SQLite adds only one column per statement.
    for (const column of ['allowed_to_addresses', 'amount_limits']) {
      await db.schema.alterTable('api_keys').addColumn(column, 'text').execute();
    }
    await db.schema
      .createTable('key_daily_amounts')
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('mint', 'text', (column) => column.notNull())
      .addColumn('amount_high', 'bigint', (column) => column.notNull())
      .addColumn('amount_low', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('key_daily_amounts_primary_key', ['key_id', 'day', 'mint'])
      .execute();
  },
};
