import { RefusedError, UsageError } from './keys-context.ts';

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
export function parseDuration(text: string): number | undefined {
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
