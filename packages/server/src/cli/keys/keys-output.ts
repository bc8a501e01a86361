import { maxAmount } from 'splwright-core';
import { formatTable } from '../../app/table.ts';
import {
  type ApiKeyRecord,
  apiKeyStatus,
  type ChangeAuthor,
  type ChangedSettings,
  type CreatedApiKey,
  type KeyChange,
  type KeySettings,
  type KeyUsage,
} from '../../keys/api-key-record.ts';
import type { AmountLimit, KeyRestrictions } from '../../keys/authenticated-key.ts';

const noAmounts: ReadonlyMap<string, bigint> = new Map();

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
    ['ID', 'NAME', 'PREFIX', 'CREATED', 'EXPIRES', 'STATUS', 'LIMITS'],
    ...records.map((record) => [
      record.id,
      record.name,
      `${record.prefix}…`,
      record.createdAt.toISOString(),
      record.expiresAt?.toISOString() ?? 'never',
      apiKeyStatus(record, now),
      summarizeLimits(record),
    ]),
  ]);
}

// The operations by name, addresses by their number: `keys show` names them.
function summarizeLimits({ rateLimitPerMinute, restrictions }: ApiKeyRecord): string {
  const { operations, mints, fromAddresses, toAddresses, amounts } = restrictions;
  const counted = (allowed: { size: number } | null, thing: string): string[] =>
    allowed === null ? [] : [`${allowed.size} ${thing}${allowed.size === 1 ? '' : 's'}`];
  return [
    ...(rateLimitPerMinute === null ? [] : [rateLimitPerMinute === 0 ? 'any rate' : `${rateLimitPerMinute} a minute`]),
    ...(operations === null ? [] : [[...operations].join(' ') || 'no operation']),
    ...counted(mints, 'mint'),
    ...counted(fromAddresses, 'sender'),
    ...counted(toAddresses, 'recipient'),
    ...counted(amounts, 'amount limit'),
    ...(restrictions.sponsoredLamportsPerDay === null ? [] : ['sponsored lamports']),
    ...(restrictions.sponsorsRent ? ['rent by sponsors'] : []),
  ].join(', ');
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
  const { amounts, sponsoredLamportsPerDay } = restrictions;
  if (sponsoredLamportsPerDay !== null) lines.push(['sponsored lamports per day (UTC)', `${sponsoredLamportsPerDay}`]);
  if (restrictions.sponsorsRent) lines.push(['rent by sponsors', 'allowed']);
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

/** Returns a change as `--json` prints it. */
export function describeChange({ at, action, keyId, newKeyId, name, changes, author }: KeyChange) {
  return {
    at: at.toISOString(),
    action,
    id: keyId,
    ...(newKeyId !== null && { new_id: newKeyId }),
    name,
    changes,
    user: author.user,
    ...(author.sudoUser !== null && { sudo_user: author.sudoUser }),
    host: author.host,
  };
}

/** Returns a table of changes with a heading, a line for each. */
export function formatChanges(changes: readonly KeyChange[]): string {
  return formatTable([
    ['AT', 'ID', 'NAME', 'BY', 'CHANGE'],
    ...changes.map((change) => [
      change.at.toISOString(),
      change.keyId,
      change.name,
      authorText(change.author),
      changeText(change),
    ]),
  ]);
}

function authorText({ user, sudoUser, host }: ChangeAuthor): string {
  const who = user ?? 'unknown';
  return `${sudoUser === null ? who : `${sudoUser} as ${who}`}${host === null ? '' : ` at ${host}`}`;
}

function changeText({ action, newKeyId, changes }: KeyChange): string {
  const replaced = newKeyId === null ? '' : ` to ${newKeyId}`;
  const texts = Object.entries(action === 'created' ? withoutName(changes) : changes).map(([field, { from, to }]) =>
    action === 'created' ? `${field} ${valueText(to)}` : `${field} ${valueText(from)} -> ${valueText(to)}`,
  );
  return `${action}${replaced}${texts.length === 0 ? '' : `: ${texts.join(', ')}`}`;
}

// It has a column of its own.
function withoutName({ name: _, ...others }: ChangedSettings): ChangedSettings {
  return others;
}

function valueText(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The usage of one key on one day, as `--json` prints it. */
interface DayOfUse {
  /** In UTC, as `2026-11-21`. */
  day: string;
  id: string;
  /** Empty for a key that is no longer stored. */
  name: string;
  requests: number;
  builds: number;
  /** Retries under an `Idempotency-Key` that got the reply built before. */
  replays: number;
  /** Questions what became of a transfer. */
  answers: number;
  /** Requests by the code that refused them. */
  refusals: Record<string, number>;
}

const dayMs = 86_400_000;

/** Returns the first of `days` days of which today is the last, in UTC. */
export function firstDayOf(days: number, now: Date): string {
  return new Date(now.getTime() - (days - 1) * dayMs).toISOString().slice(0, 10);
}

/** Returns the usage of some keys by day and key, the newest day last. */
export function summarizeUsage(usage: readonly KeyUsage[], keys: readonly ApiKeyRecord[]): readonly DayOfUse[] {
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const days = new Map<string, DayOfUse>();
  for (const { keyId, day, outcome, requests } of usage) {
    const row = `${day} ${keyId}`;
    const use = days.get(row) ?? {
      day,
      id: keyId,
      name: names.get(keyId) ?? '',
      requests: 0,
      builds: 0,
      replays: 0,
      answers: 0,
      refusals: {},
    };
    days.set(row, use);
    use.requests += requests;
    const column = answerColumns[outcome];
    if (column) use[column] += requests;
    else use.refusals[outcome] = requests;
  }
  return [...days.values()];
}

/** How requests that were not refused are shown, by their outcome in the store. */
const answerColumns: Readonly<Record<string, 'builds' | 'replays' | 'answers'>> = {
  built: 'builds',
  replayed: 'replays',
  answered: 'answers',
};

/** Returns a table of usage with a heading, a line for each key and day. */
export function formatUsage(use: readonly DayOfUse[]): string {
  return formatTable([
    ['DAY', 'ID', 'NAME', 'REQUESTS', 'BUILDS', 'REPLAYS', 'ANSWERS', 'REFUSALS'],
    ...use.map(({ day, id, name, requests, builds, replays, answers, refusals }) => [
      day,
      id,
      name,
      String(requests),
      String(builds),
      String(replays),
      String(answers),
      Object.entries(refusals)
        .map(([code, count]) => `${code} ${count}`)
        .join(', '),
    ]),
  ]);
}

/** Returns a sentence for each limit of a key that the operator may not have intended. */
export function limitWarnings({ mints, amounts }: KeyRestrictions): readonly string[] {
  const warnings: string[] = [];
  for (const [mint, { perTransfer, perDay }] of amounts ?? []) {
    if (perTransfer !== null && perDay !== null && perTransfer > perDay) {
      warnings.push(`the --transfer-limit of ${mint}, ${perTransfer}, is above its --daily-limit, ${perDay}`);
    }
    if (mints?.has(mint) === false)
      warnings.push(`${mint} has a limit, but --allow-mint leaves it out: it cannot be moved`);
  }
  if (amounts) {
    for (const mint of mints ?? []) {
      if (amounts.has(mint)) continue;
      warnings.push(
        `${mint} cannot be moved: of a key with limits only the mints that have one can. ` +
          `To let it move any amount, add --transfer-limit ${mint}=${maxAmount}`,
      );
    }
  }
  return warnings;
}
