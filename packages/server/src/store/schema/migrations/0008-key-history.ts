import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the history of changes to keys, which the database itself keeps from being changed or deleted. */
export const keyHistory: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    await db.schema
      .createTable('key_history')
      .addColumn('id', isPostgres ? 'bigserial' : 'integer', (column) =>
        isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
      )
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('new_key_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('changes', 'text', (column) => column.notNull())
      .addColumn('os_user', 'text')
      .addColumn('sudo_user', 'text')
      .addColumn('host', 'text')
      .execute();
    for (const column of ['key_id', 'new_key_id']) {
      await db.schema.createIndex(`key_history_${column}`).on('key_history').column(column).execute();
    }
    await (isPostgres ? protectInPostgres(db) : protectInSqlite(db));
  },
};

async function protectInPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`create or replace function refuse_change_of_key_history() returns trigger language plpgsql as
    $$ begin raise exception 'key_history is append-only'; end $$`.execute(db);
  await sql`create trigger key_history_append_only before update or delete or truncate on "key_history"
    for each statement execute function refuse_change_of_key_history()`.execute(db);
}

async function protectInSqlite(db: Kysely<unknown>): Promise<void> {
  for (const change of ['update', 'delete']) {
    await sql`create trigger ${sql.raw(`key_history_${change}`)} before ${sql.raw(change)} on "key_history"
      begin select raise(abort, 'key_history is append-only'); end`.execute(db);
  }
  // `insert or replace` deletes a row without the trigger of deletions.
  await sql`create trigger key_history_replace before insert on "key_history"
    when exists (select 1 from "key_history" where id = new.id)
    begin select raise(abort, 'key_history is append-only'); end`.execute(db);
}
