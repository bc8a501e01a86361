import type { Migration } from 'kysely/migration';

/**
 * Adds the column of replies as they are stored since this step, and how many bytes those of each API key take.
 *
 * Programs that know less write the columns of before, which are still read. They find no reply in a row of this step, and refuse it.
 */
export const storedReplies: Migration = {
  async up(db) {
    // SQLite keeps bytes as they are in a column of any type.
    await db.schema.alterTable('idempotent_requests').addColumn('packed_reply', 'bytea').execute();
    await db.schema
      .createTable('idempotent_bytes')
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotent_bytes_primary_key', ['scope', 'expires_at'])
      .execute();
    await db.schema.createIndex('idempotent_bytes_expires_at').on('idempotent_bytes').column('expires_at').execute();
  },
};
