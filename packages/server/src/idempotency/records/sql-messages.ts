import { type ExpressionBuilder, type InsertResult, type Kysely, sql } from 'kysely';
import type { StoreTables } from '../../store/schema/tables.ts';
import type { RequestId } from '../idempotent-request.ts';

/**
 * Claims messages for the request that an attempt builds, in one statement; returns how many are now its own.
 *
 * Those of another request are not, and none is where another attempt has the claim.
 */
export async function claimMessages(
  db: Kysely<StoreTables>,
  { scope, path, key }: RequestId,
  attempt: string,
  messageHashes: readonly string[],
): Promise<number> {
  const rows = sql.join(messageHashes.map((messageHash) => sql`(${messageHash})`));
  // Both databases call the column of a list of values so.
  const hash = sql.ref<string>('message.column1');
  const insertion = db
    .insertInto('idempotent_messages')
    .columns(['message_hash', 'scope', 'path', 'idempotency_key'])
    .expression(({ selectFrom }) =>
      selectFrom([sql`(values ${rows})`.as(sql`message`), 'idempotent_requests'])
        .select([hash.as('message_hash'), 'scope', 'path', 'idempotency_key'])
        .where('scope', '=', scope)
        .where('path', '=', path)
        .where('idempotency_key', '=', key)
        .where('state', '=', 'building')
        .where('attempt', '=', attempt)
        // Of two statements that want some of the same messages, one waits for the other, and never each for the other.
        .orderBy(hash),
    )
    .onConflict((conflict) =>
      conflict
        .column('message_hash')
        // Changes nothing, and is counted.
        .doUpdateSet((row) => ({ scope: row.ref('excluded.scope') }))
        .where('idempotent_messages.scope', '=', scope)
        .where('idempotent_messages.path', '=', path)
        .where('idempotent_messages.idempotency_key', '=', key),
    );
  const { numInsertedOrUpdatedRows }: InsertResult = await insertion.executeTakeFirst();
  return Number(numInsertedOrUpdatedRows);
}

/** Whether a message is one that another request has. */
export async function isMessageOfAnother(
  db: Kysely<StoreTables>,
  messageHash: string,
  id: RequestId,
): Promise<boolean> {
  const row = await db
    .selectFrom('idempotent_messages')
    .select('message_hash')
    .where('message_hash', '=', messageHash)
    .where((where) => where.not(isOf(where, id)))
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes some messages of requests that have expired at `now`, up to a limit, in one statement; returns how many.
 *
 * A batch has up to a thousand, so to delete a few hundred requests with their messages would be one long statement.
 */
export async function pruneMessages(
  db: Kysely<StoreTables>,
  now: number,
  limit: number,
  locksRows: boolean,
): Promise<number> {
  const expired = db
    .selectFrom('idempotent_messages as message')
    .innerJoin('idempotent_requests as request', (join) =>
      join
        .onRef('request.scope', '=', 'message.scope')
        .onRef('request.path', '=', 'message.path')
        .onRef('request.idempotency_key', '=', 'message.idempotency_key'),
    )
    .select('message.message_hash')
    .where('request.expires_at', '<=', now)
    .limit(limit)
    // A request that is claimed in the meantime keeps its messages.
    .$if(locksRows, (query) => query.forUpdate(['request']).skipLocked());
  const deletion = db.deleteFrom('idempotent_messages').where('message_hash', 'in', expired);
  const { numDeletedRows } = await deletion.executeTakeFirst();
  return Number(numDeletedRows);
}

function isOf(where: ExpressionBuilder<StoreTables, 'idempotent_messages'>, { scope, path, key }: RequestId) {
  return where.and([where('scope', '=', scope), where('path', '=', path), where('idempotency_key', '=', key)]);
}
