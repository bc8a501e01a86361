import type { ExpressionBuilder, Kysely } from 'kysely';
import type { ApiKeyRow, KeyTables } from './key-tables.ts';

/** Whether a key would be accepted at `now`: any key, or with `rootId` any of that chain of rotations. */
export async function hasActiveKey(db: Kysely<KeyTables>, now: Date, rootId?: string): Promise<boolean> {
  let query = db
    .selectFrom('api_keys')
    .select('id')
    .where((where) => isActive(where, now));
  if (rootId !== undefined) {
    query = query.where((where) => where.or([where('id', '=', rootId), where('root_id', '=', rootId)]));
  }
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Locks the row of a key that is not revoked (and, with `now`, not expired) until the transaction ends, by writing it. */
export async function stampRow(transaction: Kysely<KeyTables>, id: string, now?: Date): Promise<ApiKeyRow | undefined> {
  let update = transaction
    .updateTable('api_keys')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null);
  if (now) update = update.where((where) => isActive(where, now));
  return update.returningAll().executeTakeFirst();
}

/** Whether a key would be accepted at `now`. */
export function isActive(where: ExpressionBuilder<KeyTables, 'api_keys'>, now: Date) {
  return where.and([
    where('revoked_at', 'is', null),
    where.or([where('expires_at', 'is', null), where('expires_at', '>', now.getTime())]),
  ]);
}
