import type { Migration } from 'kysely/migration';

/** Adds what the token of a payment link withholds and how it is shown, as of the making of the link. Older links have none of it. */
export const tokenTerms: Migration = {
  async up(db) {
    await db.schema.alterTable('payment_links').addColumn('token_terms', 'text').execute();
  },
};
