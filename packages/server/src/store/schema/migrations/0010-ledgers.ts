import type { Migration } from 'kysely/migration';

/** Adds the ledgers whose records are in the database, and says of payment links which one they are on. */
export const ledgers: Migration = {
  async up(db) {
    await db.schema
      .createTable('ledgers')
      .addColumn('genesis_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('is_sandbox', 'integer', (column) => column.notNull())
      // One at most has 1, the others null.
      .addColumn('owns_unnamed', 'integer', (column) => column.unique())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('payment_links').addColumn('genesis_hash', 'text').execute();
    await db.schema.createIndex('payment_links_genesis_hash').on('payment_links').column('genesis_hash').execute();
  },
};
