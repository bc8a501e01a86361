import type { Migration } from 'kysely/migration';

/** Adds the table of requests with an `Idempotency-Key`, and the first key of each chain of rotations. */
export const idempotentRequests: Migration = {
  async up(db) {
    await db.schema.alterTable('api_keys').addColumn('root_id', 'text').execute();
    await db.schema
      .createTable('idempotent_requests')
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('idempotency_key', 'text', (column) => column.notNull())
      .addColumn('body_hash', 'text', (column) => column.notNull())
      .addColumn('attempt', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('reply', 'text')
      .addColumn('reply_headers', 'text')
      .addColumn('transactions', 'text')
      .addColumn('message_hash', 'text')
      .addPrimaryKeyConstraint('idempotent_requests_primary_key', ['scope', 'path', 'idempotency_key'])
      .execute();
    for (const column of ['expires_at', 'message_hash']) {
      await db.schema.createIndex(`idempotent_requests_${column}`).on('idempotent_requests').column(column).execute();
    }
  },
};
