import { type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { makeKey, toRecord } from './key-rows.ts';
import type { ApiKeyRecord, CreatedApiKey, KeySettings } from './key-store.ts';
import type { ApiKeyRow, KeyTables } from './key-tables.ts';

/** Whether any key would be accepted at `now`. */
export async function hasActiveKey(db: Kysely<KeyTables>, now: Date): Promise<boolean> {
  const query = db.selectFrom('api_keys').select('id');
  return (
    (await query
      .where((where) => isActive(where, now))
      .limit(1)
      .executeTakeFirst()) !== undefined
  );
}

/** Returns the keys of a chain of rotations that would be accepted at `now`, the newest first. */
export async function listActiveKeys(
  db: Kysely<KeyTables>,
  rootId: string,
  now: Date,
): Promise<readonly ApiKeyRecord[]> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where((where) => where.or([where('id', '=', rootId), where('root_id', '=', rootId)]))
    .where((where) => isActive(where, now))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toRecord);
}

/**
 * The condition that a key would be accepted at `now`.
 *
 * With `locksRow` it waits for a transaction that is ending the key, and keeps others from it until its own one ends.
 */
export function isAccepted(db: Kysely<KeyTables>, id: string, now: Date, locksRow: boolean): RawBuilder<SqlBool> {
  const key = db
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', id)
    .where((where) => isActive(where, now));
  return sql`exists ${locksRow ? key.forShare() : key}`;
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

/** Makes a key and stores its row; `rootId` is that of the key it replaces. */
export async function insertKey(
  db: Kysely<KeyTables>,
  settings: KeySettings,
  now: Date,
  rootId: string | null,
): Promise<CreatedApiKey> {
  const { key, row } = makeKey(settings, now, rootId);
  await db.insertInto('api_keys').values(row).execute();
  return { record: toRecord(row), key };
}

/** Whether a key would be accepted at `now`. */
export function isActive(where: ExpressionBuilder<KeyTables, 'api_keys'>, now: Date) {
  return where.and([
    where('revoked_at', 'is', null),
    where.or([where('expires_at', 'is', null), where('expires_at', '>', now.getTime())]),
  ]);
}
