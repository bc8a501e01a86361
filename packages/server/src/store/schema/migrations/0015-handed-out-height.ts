import type { Migration } from 'kysely/migration';

/** Says of payment links up to which block height what payers were given can land: none is settled before it is final. */
export const handedOutHeight: Migration = {
  async up(db) {
    await db.schema.alterTable('payment_links').addColumn('handed_out_height', 'bigint').execute();
  },
};
