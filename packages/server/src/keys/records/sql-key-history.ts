import type { Kysely } from 'kysely';
import type { KeyHistoryRow, StoreTables } from '../../store/schema/tables.ts';
import type { KeyChange, KeyChangeQuery } from '../api-key-record.ts';

/** SQLite allows 32,766 parameters in a query. */
const maxKeysPerQuery = 10_000;

/** Records a change, in the transaction that makes it. */
export async function addKeyChange(transaction: Kysely<StoreTables>, change: KeyChange): Promise<void> {
  const { at, action, keyId, newKeyId, name, changes, author } = change;
  await transaction
    .insertInto('key_history')
    .values({
      at: at.getTime(),
      action,
      key_id: keyId,
      new_key_id: newKeyId,
      name,
      changes: JSON.stringify(changes),
      os_user: author.user,
      sudo_user: author.sudoUser,
      host: author.host,
    })
    .execute();
}

/** Returns recorded changes, the oldest first. */
export async function listKeyChanges(
  db: Kysely<StoreTables>,
  { keyIds, name, limit }: KeyChangeQuery,
): Promise<readonly KeyChange[]> {
  let query = db.selectFrom('key_history').selectAll();
  if (keyIds !== undefined || name !== undefined) {
    const ids = (keyIds ?? []).slice(0, maxKeysPerQuery);
    query = query.where((where) =>
      where.or([
        ...(ids.length > 0 ? [where('key_id', 'in', ids), where('new_key_id', 'in', ids)] : []),
        ...(name === undefined ? [] : [where('name', '=', name)]),
      ]),
    );
  }
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return rows.reverse().map(toChange);
}

function toChange(row: KeyHistoryRow): KeyChange {
  return {
    at: new Date(row.at),
    action: row.action,
    keyId: row.key_id,
    newKeyId: row.new_key_id,
    name: row.name,
    changes: JSON.parse(row.changes),
    author: { user: row.os_user, sudoUser: row.sudo_user, host: row.host },
  };
}
