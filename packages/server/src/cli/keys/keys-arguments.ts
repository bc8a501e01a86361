import type { KeySettings } from '../../keys/api-key-record.ts';
import { unrestricted } from '../../keys/authenticated-key.ts';
import { RefusedError, UsageError } from '../command-errors.ts';
import {
  type AmountValues,
  changeAmountLimits,
  type LimitValues,
  parseAmountLimits,
  parseLimits,
} from './keys-limits.ts';

/** The key of a command: the text, and whether it is only an id, only a name, or either. */
export interface KeySelector {
  by: 'id' | 'name' | 'id or name';
  text: string;
}

/** 1 to 64 printable characters with single spaces between words; no option, and nothing that could disturb a terminal or a log. */
const namePattern = /^(?!-)(?=.{1,64}$)[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;
const apiKeyInside = /swk_[0-9A-Za-z]{39}/;

/** Whether the result is one line of JSON. */
export interface JsonOption {
  json?: true;
}

/** The options of `keys create`, as they stand on the command line. */
export interface CreateOptions extends JsonOption, LimitValues, AmountValues {
  name: string;
  expires?: string;
}

/** The options that name a key in place of the argument. */
export interface SelectorOptions extends JsonOption {
  id?: string;
  name?: string;
}

/** The options of `keys update`. */
export interface UpdateOptions extends SelectorOptions, LimitValues, AmountValues {
  newName?: string;
  expires?: string;
}

/** The options of `keys revoke`. */
export interface ChangeOptions extends SelectorOptions {
  closeLinks?: true;
}

/** The options of `keys rotate`. */
export interface RotateOptions extends ChangeOptions {
  overlap?: string;
}

/** The options of `keys usage`. */
export interface UsageOptions extends SelectorOptions {
  days: string;
}

/** The options of `keys history`. */
export interface HistoryOptions extends SelectorOptions {
  limit: string;
}

/** Reads the settings of a new key; throws a `UsageError`, or a `RefusedError` for an expiry that has passed. */
export function readSettings({ name, expires, ...limits }: CreateOptions, now: Date): KeySettings {
  const { rateLimitPerMinute = null, ...restrictions } = parseLimits(limits);
  return {
    name: checkName('--name', name),
    expiresAt: expires === undefined ? null : parseExpiry(expires, now),
    rateLimitPerMinute,
    restrictions: { ...unrestricted, ...restrictions, amounts: changeAmountLimits(null, parseAmountLimits(limits)) },
  };
}

/** Reads the changes of a key; throws a `UsageError`, or a `RefusedError` for an expiry that has passed. */
export function readChanges(options: UpdateOptions, now: Date) {
  const { newName, expires } = options;
  const { rateLimitPerMinute, ...restrictions } = parseLimits(options);
  const amounts = parseAmountLimits(options);
  const settings: Partial<KeySettings> = {
    ...(newName !== undefined && { name: checkName('--new-name', newName) }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : parseExpiry(expires, now) }),
    ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute }),
  };
  if ([settings, restrictions, amounts].every((given) => Object.keys(given).length === 0)) {
    throw new UsageError('there is nothing to change: say what, for example --expires 90d');
  }
  return { settings, restrictions, amounts };
}

/** Reads `--overlap`, 0 without it; throws a `UsageError`. */
export function readOverlapMs({ overlap, closeLinks }: RotateOptions): number {
  if (overlap === undefined) return 0;
  const overlapMs = parseDuration(overlap);
  if (overlapMs === undefined) {
    throw new UsageError(`--overlap cannot be ${JSON.stringify(overlap)}: it is a time such as 7d, 12h or 30m`);
  }
  if (closeLinks) {
    throw new UsageError('--close-links goes without --overlap, in which the old key could make links again');
  }
  return overlapMs;
}

/** Reads a count such as that of `--days`, from 1 to `max`; throws a `UsageError`. */
export function readCount(option: string, text: string, max: number): number {
  if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= max) return Number(text);
  throw new UsageError(`${option} cannot be ${JSON.stringify(text)}: it is from 1 to ${max}`);
}

/** Returns the key on the command line, `undefined` without one. Throws a `UsageError` for more than one. */
export function findSelector(text: string | undefined, { id, name }: SelectorOptions): KeySelector | undefined {
  const selectors: KeySelector[] = [];
  if (text !== undefined) selectors.push({ by: 'id or name', text });
  if (id !== undefined) selectors.push({ by: 'id', text: id });
  if (name !== undefined) selectors.push({ by: 'name', text: name });
  if (selectors.length > 1) throw new UsageError('give one id or name only');
  return selectors[0];
}

function checkName(option: string, name: string): string {
  if (apiKeyInside.test(name)) throw new UsageError(`${option} holds an API key, which is stored nowhere`);
  if (namePattern.test(name)) return name;
  throw new UsageError(
    `${option} must be 1 to 64 visible characters, with single spaces inside at most, and begin with no hyphen`,
  );
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
