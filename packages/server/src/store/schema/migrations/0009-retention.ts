import type { Migration } from 'kysely/migration';

/** Adds the leases of work that one process does for all, and finds quickly what has been kept for long enough. */
export const retention: Migration = {
  async up(db) {
    await db.schema
      .createTable('leases')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const table of ['key_usage', 'key_daily_amounts']) {
      await db.schema.createIndex(`${table}_day`).on(table).column('day').execute();
    }
    await db.schema.createIndex('payment_links_settled').on('payment_links').columns(['settled_at', 'id']).execute();
    // Of the few that are not settled yet.
    for (const column of ['expires_at', 'destination']) {
      await db.schema
        .createIndex(`payment_links_unsettled_${column}`)
        .on('payment_links')
        .column(column)
        .where('settled_at', 'is', null)
        .execute();
    }
  },
};
