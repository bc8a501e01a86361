import {
  type ApiKeyRecord,
  apiKeyStatus,
  type CreatedApiKey,
  type KeySettings,
  type RevokedApiKey,
  type RotatedApiKey,
} from './api-key-record.ts';
import { describeLimits } from './records/key-rows.ts';

const noAmounts: ReadonlyMap<string, bigint> = new Map();

/**
 * Returns a stored key as JSON: times in ISO 8601, amounts as decimal digits, without the limits it does not have.
 *
 * `builtToday` has the amounts built today of mints with a daily limit, in base units.
 */
export function describeRecord(record: ApiKeyRecord, now: Date, builtToday = noAmounts) {
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    created_at: record.createdAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
    revoked_at: record.revokedAt?.toISOString() ?? null,
    ...(record.lastUsedAt && { last_used_at: record.lastUsedAt.toISOString() }),
    ...presentLimits(record),
    ...(builtToday.size > 0 && {
      built_today: Object.fromEntries([...builtToday].map(([mint, amount]) => [mint, amount.toString()])),
    }),
    status: apiKeyStatus(record, now),
  };
}

/** Returns a new key as JSON, the key's text included; times are in ISO 8601. */
export function describeCreated({ record, key }: CreatedApiKey) {
  return {
    id: record.id,
    name: record.name,
    key,
    prefix: record.prefix,
    created_at: record.createdAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
    ...presentLimits(record),
  };
}

/** Returns a key that replaces another as JSON, the key's text included; with `closesLinks` also how many links were canceled. */
export function describeRotated(rotated: RotatedApiKey, closesLinks: boolean) {
  const { replaced, closedLinks } = rotated;
  const end = replaced.revokedAt ? undefined : replaced.expiresAt?.toISOString();
  return {
    ...describeCreated(rotated),
    replaces: replaced.id,
    ...(end && { replaced_expires_at: end }),
    ...(closesLinks && { closed_links: closedLinks }),
  };
}

/** Returns a key that was stopped as JSON; with `closesLinks` also how many links were canceled. */
export function describeRevoked(revoked: RevokedApiKey, closesLinks: boolean, now: Date) {
  return { ...describeRecord(revoked, now), ...(closesLinks && { closed_links: revoked.closedLinks }) };
}

function presentLimits(settings: KeySettings) {
  return Object.fromEntries(Object.entries(describeLimits(settings)).filter(([, limit]) => limit !== null));
}
