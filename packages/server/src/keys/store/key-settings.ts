import type { ChangedSettings } from './history/key-change.ts';
import { describeAmountLimits } from './key-rows.ts';
import type { ApiKeyRecord, KeySettings } from './key-store.ts';

/** Returns the settings that differ, by their names in `keys show --json`. */
export function differenceOf(before: HistorySettings | undefined, after: HistorySettings): ChangedSettings {
  const [from, to] = [before && describeSettings(before), describeSettings(after)];
  const changed = Object.entries(to)
    .map(([field, value]) => [field, { from: from?.[field] ?? null, to: value }] as const)
    .filter(([, change]) => JSON.stringify(change.from) !== JSON.stringify(change.to));
  return Object.fromEntries(changed);
}

type HistorySettings = KeySettings & Pick<ApiKeyRecord, 'revokedAt'>;

function describeSettings({ name, expiresAt, revokedAt, rateLimitPerMinute, restrictions }: HistorySettings) {
  const { operations, mints, fromAddresses, toAddresses, amounts } = restrictions;
  const list = (allowed: ReadonlySet<string> | null) => allowed && [...allowed].sort();
  const described: Record<string, unknown> = {
    name,
    expires_at: expiresAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
    rate_limit_per_minute: rateLimitPerMinute,
    allowed_operations: list(operations),
    allowed_mints: list(mints),
    allowed_from_addresses: list(fromAddresses),
    allowed_to_addresses: list(toAddresses),
    amount_limits: amounts && describeAmountLimits(amounts),
  };
  return described;
}
