import type { Migration } from 'kysely/migration';

/** Adds the transactions that payers of links were given, so that every process gives a payer the same one while it can land. */
export const issuedTransactions: Migration = {
  async up(db) {
    await db.schema
      .createTable('issued_transactions')
      .addColumn('link_id', 'text', (column) => column.notNull())
      .addColumn('payer', 'text', (column) => column.notNull())
      .addColumn('amount', 'text', (column) => column.notNull())
      .addColumn('genesis_hash', 'text', (column) => column.notNull())
      .addColumn('payments_before', 'integer', (column) => column.notNull())
      .addColumn('bytes', 'bytea', (column) => column.notNull())
      .addColumn('last_valid_block_height', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('issued_transactions_primary_key', ['link_id', 'payer', 'amount'])
      .execute();
    await db.schema
      .createIndex('issued_transactions_height')
      .on('issued_transactions')
      .columns(['genesis_hash', 'last_valid_block_height'])
      .execute();
  },
};
