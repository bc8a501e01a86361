import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Says of payment links whether they are paid, and counts quickly how many of an owner can still be paid. */
export const openLinks: Migration = {
  async up(db) {
    await db.schema
      .alterTable('payment_links')
      .addColumn('is_paid', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`
      update "payment_links" set "is_paid" = 1
      where is_single_use = 1 and settled_at is null and exists (
        select 1 from link_payments where link_id = payment_links.id and flaw is null)`.execute(db);
    await sql`
      create index "payment_links_open" on payment_links (owner_id, expires_at, genesis_hash)
      where settled_at is null and cancelled_at is null and is_paid = 0`.execute(db);
  },
};
