import type { Migration } from 'kysely/migration';

/** Says of payment links when a payer was last given a transaction, so that every process checks them often enough. */
export const handedOut: Migration = {
  async up(db) {
    await db.schema.alterTable('payment_links').addColumn('handed_out_at', 'bigint').execute();
  },
};
