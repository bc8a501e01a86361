import type { AmountLimit } from '../../keys/authenticated-key.ts';
import { type ApiKeyRecord, apiKeyStatus, type CreatedApiKey, type KeySettings } from '../../keys/key-store.ts';
import { describeAmountLimits } from '../../store/keys/key-rows.ts';
import { formatTable } from '../table.ts';

const noAmounts: ReadonlyMap<string, bigint> = new Map();

/**
 * Returns a stored key as `--json` prints it: times in ISO 8601, amounts as decimal digits, without the limits it does not have.
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
    ...describeLimits(record),
    ...(builtToday.size > 0 && {
      built_today: Object.fromEntries([...builtToday].map(([mint, amount]) => [mint, amount.toString()])),
    }),
    status: apiKeyStatus(record, now),
  };
}

/** Returns a new key as `--json` prints it, the key's text included; times are in ISO 8601. */
export function describeCreated({ record, key }: CreatedApiKey) {
  return {
    id: record.id,
    name: record.name,
    key,
    prefix: record.prefix,
    created_at: record.createdAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
    ...describeLimits(record),
  };
}

/** Returns the text about a new key: the key alone on its line, and what to do with it. */
export function formatCreated({ record, key }: CreatedApiKey): string {
  const end = record.expiresAt === null ? 'never expires' : `expires ${record.expiresAt.toISOString()}`;
  const limits = limitLines(record).map(([label, value]) => `  ${label}: ${value}\n`);
  return `API key ${record.id} for ${record.name}, ${end}:

${key}

Store it now: it is shown only this once, and only its SHA-256 is kept.
Send it with every request, in the header
  Authorization: Bearer <the key above>
${limits.length > 0 ? `It is limited:\n${limits.join('')}` : ''}`;
}

/** Returns a line about one key. */
export function formatRecord(record: ApiKeyRecord): string {
  return `${record.id}  ${record.name}  ${record.prefix}…  created ${record.createdAt.toISOString()}`;
}

/** Returns the details of one key, and the amounts that it built today, in base units by mint. */
export function formatDetails(record: ApiKeyRecord, now: Date, builtToday = noAmounts): string {
  const lines = [
    ['id', record.id],
    ['name', record.name],
    ['key', `${record.prefix}…`],
    ['status', apiKeyStatus(record, now)],
    ['created', record.createdAt.toISOString()],
    ['expires', record.expiresAt?.toISOString() ?? 'never'],
    ...(record.revokedAt ? [['revoked', record.revokedAt.toISOString()]] : []),
    ['last used', record.lastUsedAt?.toISOString() ?? 'never'],
    ...limitLines(record),
    ...(builtToday.size > 0 ? [['built today (UTC)', formatAmounts(builtToday)]] : []),
  ];
  return formatTable(lines);
}

/** Returns a table of keys with a heading, a line for each key. */
export function formatKeyTable(records: readonly ApiKeyRecord[], now: Date): string {
  return formatTable([
    ['ID', 'NAME', 'PREFIX', 'CREATED', 'EXPIRES', 'STATUS'],
    ...records.map((record) => [
      record.id,
      record.name,
      `${record.prefix}…`,
      record.createdAt.toISOString(),
      record.expiresAt?.toISOString() ?? 'never',
      apiKeyStatus(record, now),
    ]),
  ]);
}

function describeLimits({ rateLimitPerMinute, restrictions }: KeySettings) {
  const { operations, mints, fromAddresses, toAddresses, amounts } = restrictions;
  return {
    ...(rateLimitPerMinute !== null && { rate_limit_per_minute: rateLimitPerMinute }),
    ...(operations && { allowed_operations: [...operations] }),
    ...(mints && { allowed_mints: [...mints] }),
    ...(fromAddresses && { allowed_from_addresses: [...fromAddresses] }),
    ...(toAddresses && { allowed_to_addresses: [...toAddresses] }),
    ...(amounts && { amount_limits: describeAmountLimits(amounts) }),
  };
}

function limitLines({ rateLimitPerMinute, restrictions }: KeySettings): [label: string, value: string][] {
  const lines: [string, string][] = [];
  const add = (label: string, allowed: ReadonlySet<string> | null): void => {
    if (allowed) lines.push([label, [...allowed].join(', ') || 'none']);
  };
  if (rateLimitPerMinute !== null)
    lines.push(['requests per minute', rateLimitPerMinute === 0 ? 'unlimited' : String(rateLimitPerMinute)]);
  add('operations', restrictions.operations);
  add('mints', restrictions.mints);
  add('from addresses', restrictions.fromAddresses);
  add('to addresses', restrictions.toAddresses);
  const { amounts } = restrictions;
  if (amounts) {
    const perTransfer = amountsOf(amounts, 'perTransfer');
    const perDay = amountsOf(amounts, 'perDay');
    if (perTransfer.size > 0) lines.push(['amount per transfer', formatAmounts(perTransfer)]);
    if (perDay.size > 0) lines.push(['amount per day (UTC)', formatAmounts(perDay)]);
    // The limits of this key cannot be read.
    if (amounts.size === 0) lines.push(['amounts', 'none']);
  }
  return lines;
}

function amountsOf(amounts: ReadonlyMap<string, AmountLimit>, which: keyof AmountLimit): ReadonlyMap<string, bigint> {
  const set = new Map<string, bigint>();
  for (const [mint, { [which]: amount }] of amounts) if (amount !== null) set.set(mint, amount);
  return set;
}

// In the syntax of the options that set limits.
function formatAmounts(amounts: ReadonlyMap<string, bigint>): string {
  return [...amounts].map(([mint, amount]) => `${mint}=${amount}`).join(', ');
}
