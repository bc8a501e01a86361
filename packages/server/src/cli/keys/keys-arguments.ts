import type { KeySettings } from '../../keys/api-key-record.ts';
import { unrestricted } from '../../keys/authenticated-key.ts';
import { parseStrictly, RefusedError, UsageError } from '../parse-arguments.ts';
import { amountOptions, changeAmountLimits, limitOptions, parseAmountLimits, parseLimits } from './keys-limits.ts';

/** The key of a command: the text, and whether it is only an id, only a name, or either. */
export interface KeySelector {
  by: 'id' | 'name' | 'id or name';
  text: string;
}

/** The selector of a command line without a key, which may be on standard input. */
export const absentSelector: KeySelector = { by: 'id or name', text: '' };

/** 1 to 64 printable characters with single spaces between words; nothing that could disturb a terminal or a log. */
const namePattern = /^(?=.{1,64}$)[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;
const apiKeyInside = /swk_[0-9A-Za-z]{39}/;

const closingOptions = { 'close-links': { type: 'boolean' } } as const;
const selectorOptions = { id: { type: 'string' }, name: { type: 'string' }, json: { type: 'boolean' } } as const;

/** Reads the arguments of `keys create`; throws a `UsageError`, or a `RefusedError` for an expiry that has passed. */
export function parseCreateArguments(args: readonly string[], now: Date): { settings: KeySettings; json: boolean } {
  const { values } = parseStrictly({
    args: [...args],
    options: {
      name: { type: 'string' },
      expires: { type: 'string' },
      json: { type: 'boolean' },
      ...limitOptions,
      ...amountOptions,
    },
  });
  if (values.name === undefined) throw new UsageError('--name is missing: say who or what will use the key');
  const { rateLimitPerMinute = null, ...restrictions } = parseLimits(values);
  const settings = {
    name: checkName('--name', values.name),
    expiresAt: values.expires === undefined ? null : parseExpiry(values.expires, now),
    rateLimitPerMinute,
    restrictions: { ...unrestricted, ...restrictions, amounts: changeAmountLimits(null, parseAmountLimits(values)) },
  };
  return { settings, json: values.json === true };
}

/** Reads the arguments of `keys list`; throws a `UsageError`. */
export function parseListArguments(args: readonly string[]): { json: boolean } {
  const { values } = parseStrictly({ args: [...args], options: { json: { type: 'boolean' } } });
  return { json: values.json === true };
}

/** Reads the arguments of `keys revoke`; throws a `UsageError`. */
export function parseRevokeArguments(args: readonly string[]): {
  selector: KeySelector;
  closesLinks: boolean;
  json: boolean;
} {
  const options = { ...selectorOptions, ...closingOptions } as const;
  const { values, positionals } = parseStrictly({ args: [...args], options, allowPositionals: true });
  const closesLinks = values['close-links'] === true;
  return { selector: selectorOf(values, positionals), closesLinks, json: values.json === true };
}

/** Reads the arguments of `keys show`; throws a `UsageError`. */
export function parseShowArguments(args: readonly string[]): { selector: KeySelector; json: boolean; key: boolean } {
  const options = { ...selectorOptions, key: { type: 'boolean' } } as const;
  const { values, positionals } = parseStrictly({ args: [...args], options, allowPositionals: true });
  return { selector: selectorOf(values, positionals), json: values.json === true, key: values.key === true };
}

/** Reads the arguments of `keys rotate`; throws a `UsageError`. */
export function parseRotateArguments(args: readonly string[]): {
  selector: KeySelector;
  overlapMs: number;
  closesLinks: boolean;
  json: boolean;
} {
  const options = { ...selectorOptions, ...closingOptions, overlap: { type: 'string' } } as const;
  const { values, positionals } = parseStrictly({ args: [...args], options, allowPositionals: true });
  const overlapMs = values.overlap === undefined ? 0 : parseDuration(values.overlap);
  if (overlapMs === undefined) {
    throw new UsageError(`--overlap cannot be ${JSON.stringify(values.overlap)}: it is a time such as 7d, 12h or 30m`);
  }
  const closesLinks = values['close-links'] === true;
  if (closesLinks && overlapMs > 0) {
    throw new UsageError('--close-links goes without --overlap, in which the old key could make links again');
  }
  return { selector: selectorOf(values, positionals), overlapMs, closesLinks, json: values.json === true };
}

/** Reads the arguments of `keys update`; throws a `UsageError`, or a `RefusedError` for an expiry that has passed. */
export function parseUpdateArguments(args: readonly string[], now: Date) {
  const { values, positionals } = parseStrictly({
    args: [...args],
    options: {
      ...selectorOptions,
      'new-name': { type: 'string' },
      expires: { type: 'string' },
      ...limitOptions,
      ...amountOptions,
    },
    allowPositionals: true,
  });
  const { 'new-name': newName, expires } = values;
  const { rateLimitPerMinute, ...restrictions } = parseLimits(values);
  const amounts = parseAmountLimits(values);
  const settings: Partial<KeySettings> = {
    ...(newName !== undefined && { name: checkName('--new-name', newName) }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : parseExpiry(expires, now) }),
    ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute }),
  };
  const selector = selectorOf(values, positionals);
  if ([settings, restrictions, amounts].every((given) => Object.keys(given).length === 0)) {
    throw new UsageError('there is nothing to change: say what, for example --expires 90d');
  }
  return { selector, settings, restrictions, amounts, json: values.json === true };
}

/** Reads the arguments of `keys usage`; throws a `UsageError`. */
export function parseUsageArguments(args: readonly string[]): {
  selector: KeySelector | undefined;
  days: number;
  json: boolean;
} {
  const options = { ...selectorOptions, days: { type: 'string', default: '30' } } as const;
  const { values, positionals } = parseStrictly({ args: [...args], options, allowPositionals: true });
  const days = /^[1-9][0-9]{0,3}$/.test(values.days) ? Number(values.days) : undefined;
  if (days === undefined) throw new UsageError(`--days cannot be ${JSON.stringify(values.days)}: it is from 1 to 9999`);
  return { selector: findSelector(values, positionals), days, json: values.json === true };
}

/** Reads the arguments of `keys history`; throws a `UsageError`. */
export function parseHistoryArguments(args: readonly string[]): {
  selector: KeySelector | undefined;
  limit: number;
  json: boolean;
} {
  const options = { ...selectorOptions, limit: { type: 'string', default: '100' } } as const;
  const { values, positionals } = parseStrictly({ args: [...args], options, allowPositionals: true });
  const limit = /^[1-9][0-9]{0,5}$/.test(values.limit) ? Number(values.limit) : undefined;
  if (limit === undefined) {
    throw new UsageError(`--limit cannot be ${JSON.stringify(values.limit)}: it is from 1 to 999999`);
  }
  return { selector: findSelector(values, positionals), limit, json: values.json === true };
}

/** Returns the key on the command line, or `absentSelector`. */
function selectorOf(values: { id?: string; name?: string }, positionals: readonly string[]): KeySelector {
  const selector = findSelector(values, positionals);
  return selector ?? absentSelector;
}

function findSelector(values: { id?: string; name?: string }, positionals: readonly string[]): KeySelector | undefined {
  const selectors: KeySelector[] = positionals.map((text) => ({ by: 'id or name', text }));
  if (values.id !== undefined) selectors.push({ by: 'id', text: values.id });
  if (values.name !== undefined) selectors.push({ by: 'name', text: values.name });
  if (selectors.length > 1) throw new UsageError('give one id or name only');
  return selectors[0];
}

function checkName(option: string, name: string): string {
  if (apiKeyInside.test(name)) throw new UsageError(`${option} holds an API key, which is stored nowhere`);
  if (namePattern.test(name)) return name;
  throw new UsageError(`${option} must be 1 to 64 visible characters, with single spaces inside at most`);
}

const msPerUnit = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]);

const momentPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const maxDurationMs = 8000 * 365 * 86_400_000;
/** The last moment that ISO 8601 writes with a year of four digits. */
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Reads an `--expires` value: a time from `now` (`90d`, `12h`, `30m`) or a moment with its time zone.
 *
 * Throws a `UsageError` for anything else, and a `RefusedError` for a moment that has passed.
 */
export function parseExpiry(text: string, now: Date): Date {
  const duration = parseDuration(text);
  const expiresAt = duration === undefined ? parseMoment(text) : now.getTime() + duration;
  if (expiresAt === undefined || Number.isNaN(expiresAt) || expiresAt > latestExpiry) {
    throw new UsageError(
      `--expires cannot be ${JSON.stringify(text)}: ` +
        'it is a number of days, hours or minutes (90d, 12h, 30m) or a moment (2027-01-31T00:00:00Z)',
    );
  }
  if (expiresAt <= now.getTime()) {
    throw new RefusedError(`--expires ${text} has passed: it is now ${now.toISOString()}. Nothing was changed.`);
  }
  return new Date(expiresAt);
}

/** Returns the milliseconds of `90d`, `12h` or `30m`; `undefined` for any other text, and for more than 8,000 years. */
function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d*)([dhm])$/.exec(text) ?? [];
  const unitMs = msPerUnit.get(unit ?? '');
  const durationMs = Number(count) * (unitMs ?? Number.NaN);
  return durationMs <= maxDurationMs ? durationMs : undefined;
}

function parseMoment(text: string): number | undefined {
  const day = momentPattern.exec(text)?.[1];
  // Date.parse turns 30 February into 2 March, which is not the day in the text.
  if (day === undefined || !isCalendarDay(day)) return undefined;
  return Date.parse(text);
}

function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
