import { randomBytes } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { parseAmount } from 'splwright-core';
import { generateApiKey, hashApiKey, shownPrefixOf } from '../../app/api-key.ts';
import { isOperation } from '../../operation.ts';
import type { ApiKeyRow, StoreTables } from '../../store/schema/tables.ts';
import type { ApiKeyRecord, ChangedSettings, CreatedApiKey, KeySettings } from '../api-key-record.ts';
import type { AmountLimit, KeyRestrictions } from '../authenticated-key.ts';

/** Returns the columns of a key's settings. */
export function settingsToColumns(settings: KeySettings) {
  const { operations, mints, fromAddresses, toAddresses, amounts, ...sponsored } = settings.restrictions;
  return {
    name: settings.name,
    expires_at: settings.expiresAt?.getTime() ?? null,
    rate_limit_per_minute: settings.rateLimitPerMinute,
    allowed_operations: toJson(operations),
    allowed_mints: toJson(mints),
    allowed_from_addresses: toJson(fromAddresses),
    allowed_to_addresses: toJson(toAddresses),
    amount_limits: amounts && JSON.stringify(describeAmountLimits(amounts)),
    sponsored_lamports_per_day: sponsored.sponsoredLamportsPerDay?.toString() ?? null,
    sponsors_rent: Number(sponsored.sponsorsRent),
  };
}

/** Reads the row of a key. */
export function toRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row.id,
    rootId: row.root_id,
    name: row.name,
    prefix: row.prefix,
    createdAt: new Date(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: toDate(row.revoked_at),
    lastUsedAt: toDate(row.last_used_at),
    rateLimitPerMinute: row.rate_limit_per_minute,
    restrictions: toRestrictions(row),
  };
}

function toRestrictions(row: ApiKeyRow): KeyRestrictions {
  const operations = fromJson(row.allowed_operations);
  return {
    operations: operations && new Set([...operations].filter(isOperation)),
    mints: fromJson(row.allowed_mints),
    fromAddresses: fromJson(row.allowed_from_addresses),
    toAddresses: fromJson(row.allowed_to_addresses),
    amounts: readAmountLimits(row.amount_limits),
    // What is no number allows nothing.
    sponsoredLamportsPerDay:
      row.sponsored_lamports_per_day === null ? null : (readAmount(row.sponsored_lamports_per_day) ?? 0n),
    sponsorsRent: row.sponsors_rent === 1,
  };
}

/** Returns amount limits as they are stored and printed: decimal digits by mint, without those that are not set. */
function describeAmountLimits(
  amounts: ReadonlyMap<string, AmountLimit>,
): Record<string, { per_transfer?: string; per_day?: string }> {
  const byMint = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    byMint.map(([mint, { perTransfer, perDay }]) => [
      mint,
      {
        ...(perTransfer !== null && { per_transfer: perTransfer.toString() }),
        ...(perDay !== null && { per_day: perDay.toString() }),
      },
    ]),
  );
}

function toJson(allowed: ReadonlySet<string> | null): string | null {
  return allowed && JSON.stringify([...allowed].sort());
}

function fromJson(text: string | null): ReadonlySet<string> | null {
  if (text === null) return null;
  const values = parseJson(text);
  return new Set(Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []);
}

function readAmountLimits(text: string | null): ReadonlyMap<string, AmountLimit> | null {
  if (text === null) return null;
  const limits = new Map<string, AmountLimit>();
  for (const [mint, value] of Object.entries(parseJson(text) ?? {})) {
    const limit = readAmountLimit(value);
    if (limit) limits.set(mint, limit);
  }
  return limits;
}

// A mint whose limit cannot be read, even in part, is left out, and so may not be moved.
function readAmountLimit(value: unknown): AmountLimit | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const perTransfer = 'per_transfer' in value ? readAmount(value.per_transfer) : null;
  const perDay = 'per_day' in value ? readAmount(value.per_day) : null;
  if (perTransfer === undefined || perDay === undefined || (perTransfer === null && perDay === null)) return undefined;
  return { perTransfer, perDay };
}

function readAmount(value: unknown): bigint | undefined {
  const parsed = parseAmount(String(value));
  return 'amount' in parsed ? parsed.amount : undefined;
}

// Another program may have written text that is not JSON: as a restriction it allows nothing, and affects no other key.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toDate(atMs: number | null): Date | null {
  return atMs === null ? null : new Date(atMs);
}

/** Returns what a key is limited to, as it is printed; `null` for what it is not limited to. */
export function describeLimits({ rateLimitPerMinute, restrictions }: Omit<KeySettings, 'name' | 'expiresAt'>) {
  const { operations, mints, fromAddresses, toAddresses, amounts, sponsoredLamportsPerDay, sponsorsRent } =
    restrictions;
  const list = (allowed: ReadonlySet<string> | null) => allowed && [...allowed].sort();
  return {
    rate_limit_per_minute: rateLimitPerMinute,
    allowed_operations: list(operations),
    allowed_mints: list(mints),
    allowed_from_addresses: list(fromAddresses),
    allowed_to_addresses: list(toAddresses),
    amount_limits: amounts && describeAmountLimits(amounts),
    sponsored_lamports_per_day: sponsoredLamportsPerDay?.toString() ?? null,
    sponsor_rent: sponsorsRent || null,
  };
}

/** Returns the settings that differ, by their names in `keys show --json`. */
export function differenceOf(before: HistorySettings | undefined, after: HistorySettings): ChangedSettings {
  const [from, to] = [before && describeSettings(before), describeSettings(after)];
  const changed = Object.entries(to)
    .map(([field, value]) => [field, { from: from?.[field] ?? null, to: value }] as const)
    .filter(([, change]) => JSON.stringify(change.from) !== JSON.stringify(change.to));
  return Object.fromEntries(changed);
}

type HistorySettings = KeySettings & Pick<ApiKeyRecord, 'revokedAt'>;

function describeSettings(settings: HistorySettings): Record<string, unknown> {
  return {
    name: settings.name,
    expires_at: settings.expiresAt?.toISOString() ?? null,
    revoked_at: settings.revokedAt?.toISOString() ?? null,
    ...describeLimits(settings),
  };
}

/** Whether any key would be accepted at `now`. */
export async function hasActiveKey(db: Kysely<StoreTables>, now: Date): Promise<boolean> {
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
  db: Kysely<StoreTables>,
  rootId: string,
  now: Date,
): Promise<readonly ApiKeyRecord[]> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('root_id', '=', rootId)
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
export function isAccepted(db: Kysely<StoreTables>, id: string, now: Date, locksRow: boolean): RawBuilder<SqlBool> {
  const key = db
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', id)
    .where((where) => isActive(where, now));
  return sql`exists ${locksRow ? key.forShare() : key}`;
}

/** Locks the row of a key that is not revoked (and, with `now`, not expired) until the transaction ends, by writing it. */
export async function stampRow(
  transaction: Kysely<StoreTables>,
  id: string,
  now?: Date,
): Promise<ApiKeyRow | undefined> {
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
  db: Kysely<StoreTables>,
  settings: KeySettings,
  now: Date,
  rootId: string | null,
): Promise<CreatedApiKey> {
  const key = generateApiKey();
  const id = `key_${randomBytes(8).toString('hex')}`;
  const row: ApiKeyRow = {
    id,
    prefix: shownPrefixOf(key),
    hash: hashApiKey(key),
    created_at: now.getTime(),
    revoked_at: null,
    last_used_at: null,
    root_id: rootId ?? id,
    ...settingsToColumns(settings),
  };
  await db.insertInto('api_keys').values(row).execute();
  return { record: toRecord(row), key };
}

/** The root ids of the keys that would be accepted at `now`. */
export function activeOwners(db: Kysely<StoreTables>, now: Date) {
  return db
    .selectFrom('api_keys')
    .select('root_id')
    .where((where) => isActive(where, now));
}

/** Whether a key would be accepted at `now`. */
function isActive(where: ExpressionBuilder<StoreTables, 'api_keys'>, now: Date) {
  return where.and([
    where('revoked_at', 'is', null),
    where.or([where('expires_at', 'is', null), where('expires_at', '>', now.getTime())]),
  ]);
}
