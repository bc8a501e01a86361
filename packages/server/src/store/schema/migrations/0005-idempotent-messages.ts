import type { Migration } from 'kysely/migration';

/**
 * Adds the messages of requests with an `Idempotency-Key`, a row for each transaction, and what landed of earlier replies.
 *
 * `message_hash` of `idempotent_requests` had the message of the first transaction alone; nothing is written there any more.
 */
export const idempotentMessages: Migration = {
  async up(db) {
    const request = ['scope', 'path', 'idempotency_key'] as const;
    await db.schema.alterTable('idempotent_requests').addColumn('landed', 'text').execute();
    await db.schema
      .createTable('idempotent_messages')
      .addColumn('message_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('idempotency_key', 'text', (column) => column.notNull())
      .addForeignKeyConstraint(
        'idempotent_messages_request',
        [...request],
        'idempotent_requests',
        [...request],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    await db.schema
      .createIndex('idempotent_messages_request')
      .on('idempotent_messages')
      .columns([...request])
      .execute();
    await db
      .insertInto('idempotent_messages')
      .columns(['message_hash', ...request])
      .expression(
        db
          .selectFrom('idempotent_requests')
          .select(['message_hash', ...request])
          .where('message_hash', 'is not', null),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
};
