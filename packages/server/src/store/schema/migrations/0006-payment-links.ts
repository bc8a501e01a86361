import type { Migration } from 'kysely/migration';

/** Adds the tables of payment links and their payments, and finds the keys of a chain of rotations quickly. */
export const paymentLinks: Migration = {
  async up(db) {
    await db.schema
      .createTable('payment_links')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('reference', 'text', (column) => column.notNull().unique())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('mint', 'text', (column) => column.notNull())
      .addColumn('token_program', 'text', (column) => column.notNull())
      .addColumn('decimals', 'integer', (column) => column.notNull())
      .addColumn('destination', 'text', (column) => column.notNull())
      .addColumn('min_amount', 'text', (column) => column.notNull())
      .addColumn('max_amount', 'text', (column) => column.notNull())
      .addColumn('texts', 'text', (column) => column.notNull())
      .addColumn('is_single_use', 'integer', (column) => column.notNull())
      .addColumn('allows_off_curve_recipient', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('created_slot', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('cancelled_at', 'bigint')
      .addColumn('checked_at', 'bigint')
      .addColumn('settled_at', 'bigint')
      .addColumn('examined_until', 'text')
      .execute();
    await db.schema
      .createIndex('payment_links_of_owner')
      .on('payment_links')
      .columns(['owner_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createTable('link_payments')
      .addColumn('link_id', 'text', (column) => column.notNull())
      .addColumn('signature', 'text', (column) => column.notNull())
      .addColumn('payer', 'text', (column) => column.notNull())
      .addColumn('amount', 'text', (column) => column.notNull())
      .addColumn('received', 'text', (column) => column.notNull())
      .addColumn('slot', 'bigint', (column) => column.notNull())
      .addColumn('block_time', 'bigint')
      .addColumn('commitment', 'text', (column) => column.notNull())
      .addColumn('flaw', 'text')
      .addPrimaryKeyConstraint('link_payments_primary_key', ['link_id', 'signature'])
      .execute();
    await db.schema.createIndex('api_keys_root_id').on('api_keys').column('root_id').execute();
  },
};
