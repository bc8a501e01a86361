import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey, shownPrefixOf } from './api-key.ts';
import { isOperation, type KeyRestrictions } from './authenticated-key.ts';
import type { ApiKeyRecord, KeySettings } from './key-store.ts';
import type { ApiKeyRow } from './key-tables.ts';

/** Makes a key and the row that is stored of it. */
export function makeKey(settings: KeySettings, now: Date): { key: string; row: ApiKeyRow } {
  const key = generateApiKey();
  const row: ApiKeyRow = {
    id: `key_${randomBytes(8).toString('hex')}`,
    prefix: shownPrefixOf(key),
    hash: hashApiKey(key),
    created_at: now.getTime(),
    revoked_at: null,
    last_used_at: null,
    ...settingsToColumns(settings),
  };
  return { key, row };
}

/** The columns that hold what can be chosen of a key. */
type SettingsColumns = Omit<ApiKeyRow, 'id' | 'prefix' | 'hash' | 'created_at' | 'revoked_at' | 'last_used_at'>;

/** The columns of a key's settings. */
export function settingsToColumns(settings: KeySettings): SettingsColumns {
  const { operations, mints, fromAddresses } = settings.restrictions;
  return {
    name: settings.name,
    expires_at: settings.expiresAt?.getTime() ?? null,
    rate_limit_per_minute: settings.rateLimitPerMinute,
    allowed_operations: toJson(operations),
    allowed_mints: toJson(mints),
    allowed_from_addresses: toJson(fromAddresses),
  };
}

/** What a row says of its key. */
export function toRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row.id,
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
  };
}

function toJson(allowed: ReadonlySet<string> | null): string | null {
  return allowed && JSON.stringify([...allowed].sort());
}

function fromJson(text: string | null): ReadonlySet<string> | null {
  if (text === null) return null;
  try {
    const values: unknown = JSON.parse(text);
    return new Set(Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []);
  } catch {
    // Written by somebody else: a restriction that cannot be read allows nothing, and harms no other key.
    return new Set();
  }
}

function toDate(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
