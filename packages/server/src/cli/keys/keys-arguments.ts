import { InvalidArgumentError } from 'commander';
import { addressToBytes, isOnCurve, maxAmount, parseAddress, parseAmount, sol } from 'splwright-core';
import { holdsApiKey } from '../../app/api-key.ts';
import type { AmountLimit, KeyRestrictions } from '../../keys/authenticated-key.ts';
import { isOperation, type Operation, operations } from '../../operation.ts';
import { RefusedError, UsageError } from '../command.ts';

// Commander takes `null` for an option without a value, so that words stand for it here.

/** What a key may do. */
type Allowed<Value extends string = string> = ReadonlySet<Value> | 'any';

/** New limits by mint, where `null` removes the limit of the mint; `any` removes all. */
type AmountChanges = ReadonlyMap<string, bigint | null> | 'any';

/** The options that limit a key. */
export interface LimitOptions {
  rateLimit?: number | 'default';
  allowOperation?: Allowed<Operation>;
  allowMint?: Allowed;
  allowFrom?: Allowed;
  allowTo?: Allowed;
  transferLimit?: AmountChanges;
  dailyLimit?: AmountChanges;
  sponsoredLamportsPerDay?: bigint | 'any';
  sponsorRent?: boolean;
}

/** A moment, or milliseconds from now. */
export type Expiry = Date | number;

/** The options of `keys create`. */
export interface CreateOptions extends LimitOptions {
  name: string;
  expires?: Expiry;
}

/** The options of the commands on keys that exist; each takes some of them. */
export interface KeyOptions extends LimitOptions {
  id?: string;
  name?: string;
  newName?: string;
  expires?: Expiry | 'never';
  closeLinks?: true;
  overlap?: number;
  days?: number;
  limit?: number;
  json?: true;
}

/** 1 to 64 printable characters with single spaces between words; no option, and nothing that could disturb a terminal or a log. */
const namePattern = /^(?!-)(?=.{1,64}$)[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;

/** Reads the name of a key. Like all parsers here it throws an `InvalidArgumentError`, whose message Commander completes. */
export function parseName(text: string): string {
  if (holdsApiKey(text)) throw new InvalidArgumentError('It holds an API key, which is stored nowhere.');
  if (namePattern.test(text)) return text;
  throw new InvalidArgumentError(
    'It must be 1 to 64 visible characters, with single spaces inside at most, and begin with no hyphen.',
  );
}

const msPerUnit = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]);

/** Returns the milliseconds of `90d`, `12h` or `30m`. */
export function parseDuration(text: string): number {
  const durationMs = durationOf(text);
  if (durationMs !== undefined) return durationMs;
  throw new InvalidArgumentError('It is a time such as 7d, 12h or 30m.');
}

function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([dhm])$/.exec(text) ?? [];
  const unitMs = msPerUnit.get(unit);
  return unitMs && Number(count) * unitMs;
}

const momentPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Reads a time from now (`90d`, `12h`, `30m`) or a moment with its time zone. */
export function parseExpiry(text: string): Expiry {
  const durationMs = durationOf(text);
  if (durationMs !== undefined) return durationMs;
  const day = momentPattern.exec(text)?.[1] ?? '';
  const moment = new Date(text);
  // Date turns 30 February into 2 March, which is not the day in the text.
  const isCalendarDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (day !== '' && isCalendarDay && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError(
    'It is a number of days, hours or minutes (90d, 12h, 30m) or a moment (2027-01-31T00:00:00Z).',
  );
}

/** Returns the moment of an expiry. Throws a `RefusedError` for one that has passed. */
export function momentOf(expires: Expiry, now: Date): Date {
  const moment = typeof expires === 'number' ? new Date(now.getTime() + expires) : expires;
  if (moment > now) return moment;
  throw new RefusedError(
    `--expires ${moment.toISOString()} has passed: it is now ${now.toISOString()}. Nothing was changed.`,
  );
}

/** Makes the parser of a number from 1 to `max`. */
export function countUpTo(max: number, otherwise = ''): (text: string) => number {
  return (text) => {
    if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It is from 1 to ${max}${otherwise}.`);
  };
}

const parseRate = countUpTo(1_000_000, ', or none, or default');

/** Reads requests per minute: 0 for `none`. */
export function parseRateLimit(text: string): number | 'default' {
  if (text === 'default') return text;
  return text === 'none' ? 0 : parseRate(text);
}

/** Every value is kept in the memory of every server that caches the key. */
const maxValues = 100;

/**
 * Makes the parser of an option that may be repeated, and may hold several values separated by commas, or `any` alone.
 *
 * `parse` throws an `InvalidArgumentError` for a text that is no value.
 */
function allowedOf<Value extends string>(parse: (text: string) => Value) {
  return (text: string, before: Allowed<Value> | undefined): Allowed<Value> => {
    if (text === 'any' && before === undefined) return text;
    if (before === 'any') throw new InvalidArgumentError('"any" stands alone.');
    const values = new Set([...(before ?? []), ...valuesIn(text).map(parse)]);
    if (values.size > maxValues) throw new InvalidArgumentError(`It takes at most ${maxValues}, not ${values.size}.`);
    return values;
  };
}

function valuesIn(text: string): readonly string[] {
  return text.split(',').map((value) => value.trim());
}

/** The parser of operations. */
export const parseOperations = allowedOf((text) => {
  if (isOperation(text)) return text;
  throw new InvalidArgumentError(`${JSON.stringify(text)} is none of ${operations.join(', ')}, or any.`);
});

/** The parser of recipients. */
export const parseAddresses = allowedOf(parseOneAddress);

/** The parser of mints. */
export const parseMints = allowedOf(parseOneMint);

/** The parser of senders. */
export const parseSenders = allowedOf((text) => {
  const address = parseOneAddress(text);
  if (isOnCurve(addressToBytes(address))) return address;
  throw new InvalidArgumentError(`No key can sign for ${address}, so it sends nothing.`);
});

function parseOneMint(text: string) {
  return text === sol ? sol : parseOneAddress(text);
}

function parseOneAddress(text: string) {
  const parsed = parseAddress(text);
  if ('address' in parsed) return parsed.address;
  throw new InvalidArgumentError(
    `${JSON.stringify(text)} is no Solana address, the base58 text of 32 bytes, and not any.`,
  );
}

/** The parser of the lamports that sponsors may pay in a day. */
export function parseLamports(text: string): bigint | 'any' {
  if (text === 'any') return text;
  const parsed = parseAmount(text);
  if ('amount' in parsed) return parsed.amount;
  throw new InvalidArgumentError(`It is lamports, from 1 to ${maxAmount}, or any.`);
}

/** The parser of amounts by mint, which may be repeated, and may hold several values separated by commas. */
export function parseAmounts(text: string, before: AmountChanges | undefined): AmountChanges {
  if (text === 'any' && before === undefined) return text;
  if (before === 'any') throw new InvalidArgumentError('"any" stands alone.');
  const changes = new Map(before);
  for (const value of valuesIn(text)) {
    const [mint = '', amount, ...rest] = value.split('=');
    if (amount === undefined || rest.length > 0) {
      throw new InvalidArgumentError(`${JSON.stringify(value)} is not <mint>=<amount>, or any.`);
    }
    const address = parseOneMint(mint);
    if (changes.has(address)) throw new InvalidArgumentError(`The mint ${address} has two limits.`);
    const parsed = amount === 'any' ? { amount: null } : parseAmount(amount);
    if ('fault' in parsed) {
      throw new InvalidArgumentError(`The amount is base units, from 1 to ${maxAmount}, or any.`);
    }
    changes.set(address, parsed.amount);
  }
  return changes;
}

/** Returns the restrictions of a key after a command; those whose option was left out stay. Throws a `UsageError` for too many. */
export function restrictionsAfter(before: KeyRestrictions, options: LimitOptions): KeyRestrictions {
  const { allowOperation, allowMint, allowFrom, allowTo, sponsoredLamportsPerDay: lamports } = options;
  return {
    operations: allowOperation === 'any' ? null : (allowOperation ?? before.operations),
    mints: allowMint === 'any' ? null : (allowMint ?? before.mints),
    fromAddresses: allowFrom === 'any' ? null : (allowFrom ?? before.fromAddresses),
    toAddresses: allowTo === 'any' ? null : (allowTo ?? before.toAddresses),
    amounts: amountsAfter(before.amounts, options),
    sponsoredLamportsPerDay: lamports === 'any' ? null : (lamports ?? before.sponsoredLamportsPerDay),
    sponsorsRent: options.sponsorRent ?? before.sponsorsRent,
  };
}

function amountsAfter(before: KeyRestrictions['amounts'], { transferLimit, dailyLimit }: LimitOptions) {
  if (transferLimit === undefined && dailyLimit === undefined) return before;
  const amounts = new Map(before);
  changeAmounts(amounts, 'perTransfer', transferLimit);
  changeAmounts(amounts, 'perDay', dailyLimit);
  if (amounts.size <= maxValues) return amounts.size > 0 ? amounts : null;
  throw new UsageError(`a key takes limits of at most ${maxValues} mints, not ${amounts.size}`);
}

function changeAmounts(
  limits: Map<string, AmountLimit>,
  which: keyof AmountLimit,
  changes: AmountChanges | undefined,
): void {
  const all = changes === 'any' ? new Map([...limits.keys()].map((mint) => [mint, null])) : changes;
  for (const [mint, amount] of all ?? []) {
    const limit = { perTransfer: null, perDay: null, ...limits.get(mint), [which]: amount };
    if (limit.perTransfer === null && limit.perDay === null) limits.delete(mint);
    else limits.set(mint, limit);
  }
}
