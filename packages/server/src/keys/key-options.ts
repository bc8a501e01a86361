import { type Address, addressToBytes, isOnCurve, maxAmount, parseAddress, parseAmount, sol } from 'splwright-core';
import { holdsApiKey } from '../app/api-key.ts';
import { isOperation, type Operation, operations } from '../operation.ts';
import type { KeySettings } from './api-key-record.ts';
import type { AmountLimit, KeyRestrictions } from './authenticated-key.ts';

/** A value that no key can have; the message is a sentence. */
export class KeyOptionError extends Error {
  override readonly name = 'KeyOptionError';
}

export type Allowed<Value extends string = string> = ReadonlySet<Value> | 'any';

/** New limits by mint, where `null` removes the limit of the mint; `any` removes all. */
export type AmountChanges = ReadonlyMap<string, bigint | null> | 'any';

/** A moment, or milliseconds from now. */
export type Expiry = Date | number;

/** The options that limit a key; one that is absent changes nothing. */
export interface LimitOptions {
  /** Requests per minute: 0 for no limit. */
  rateLimit?: number | 'default' | undefined;
  allowOperation?: Allowed<Operation> | undefined;
  allowMint?: Allowed | undefined;
  allowFrom?: Allowed | undefined;
  allowTo?: Allowed | undefined;
  transferLimit?: AmountChanges | undefined;
  dailyLimit?: AmountChanges | undefined;
  sponsoredLamportsPerDay?: bigint | 'any' | undefined;
  sponsorRent?: boolean | undefined;
}

/** The options that create or change a key. */
export interface SettingOptions extends LimitOptions {
  name?: string | undefined;
  expires?: Expiry | 'never' | undefined;
}

/** The highest limit of requests per minute. */
export const maxRatePerMinute = 1_000_000;

/** The most values of one option: each is kept in the memory of every server that caches the key. */
export const maxValues = 100;

/** 1 to 64 printable characters with single spaces between words; no option, and nothing that could disturb a terminal or a log. */
const namePattern = /^(?!-)(?=.{1,64}$)[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;

/** Reads the name of a key. Like all readers here it throws a `KeyOptionError`. */
export function readName(text: string): string {
  if (holdsApiKey(text)) throw new KeyOptionError('It contains an API key, which must not be stored.');
  if (namePattern.test(text)) return text;
  throw new KeyOptionError(
    'It must be 1 to 64 visible characters, with at most single spaces inside, and not begin with a hyphen.',
  );
}

const msPerUnit = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]);

/** A number of days, hours or minutes. */
export const durationPattern = /^([1-9][0-9]{0,5})([dhm])$/;

/** Returns the milliseconds of `90d`, `12h` or `30m`. */
export function readDuration(text: string): number {
  const durationMs = durationOf(text);
  if (durationMs !== undefined) return durationMs;
  throw new KeyOptionError('It is a time such as 7d, 12h or 30m.');
}

function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = durationPattern.exec(text) ?? [];
  const unitMs = msPerUnit.get(unit);
  return unitMs && Number(count) * unitMs;
}

const momentPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Reads a time from now (`90d`, `12h`, `30m`) or a moment with its time zone. */
export function readExpiry(text: string): Expiry {
  const durationMs = durationOf(text);
  if (durationMs !== undefined) return durationMs;
  const day = momentPattern.exec(text)?.[1] ?? '';
  const moment = new Date(text);
  // Date turns 30 February into 2 March, which is not the day in the text.
  const isCalendarDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (day !== '' && isCalendarDay && !Number.isNaN(moment.getTime())) return moment;
  throw new KeyOptionError(
    'It is a number of days, hours or minutes (90d, 12h, 30m) or a moment (2027-01-31T00:00:00Z).',
  );
}

/** Returns the moment of an expiry, which must not have passed. */
export function momentOf(expires: Expiry, now: Date): Date {
  const moment = typeof expires === 'number' ? new Date(now.getTime() + expires) : expires;
  if (moment > now) return moment;
  throw new KeyOptionError(`The expiry ${moment.toISOString()} has passed: it is now ${now.toISOString()}.`);
}

/** Reads an operation. */
export function readOperation(text: string): Operation {
  if (isOperation(text)) return text;
  throw new KeyOptionError(`${JSON.stringify(text)} is not one of ${operations.join(', ')}.`);
}

/** Reads a mint, or SOL. */
export function readMint(text: string): string {
  return text === sol ? sol : readAddress(text);
}

/** Reads a wallet that can sign. */
export function readSender(text: string): string {
  const address = readAddress(text);
  if (isOnCurve(addressToBytes(address))) return address;
  throw new KeyOptionError(`No key can sign for ${address}, so it sends nothing.`);
}

/** Reads an address. */
export function readAddress(text: string): Address {
  const parsed = parseAddress(text);
  if ('address' in parsed) return parsed.address;
  throw new KeyOptionError(`${JSON.stringify(text)} is not a Solana address, the base58 text of 32 bytes.`);
}

/** Reads the base units or the lamports of a limit. */
export function readAmount(text: string): bigint {
  const parsed = parseAmount(text);
  if ('amount' in parsed) return parsed.amount;
  throw new KeyOptionError(`The amount is base units, or lamports, from 1 to ${maxAmount}.`);
}

/**
 * Returns the settings that options make or change; `before` are the restrictions of the key until now.
 *
 * Throws a `KeyOptionError` for an expiry that has passed, and for amount limits of too many mints.
 */
export function settingsAfter(before: KeyRestrictions, options: SettingOptions, now: Date): Partial<KeySettings> {
  const { name, expires, rateLimit } = options;
  return {
    ...(name !== undefined && { name }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : momentOf(expires, now) }),
    ...(rateLimit !== undefined && { rateLimitPerMinute: rateLimit === 'default' ? null : rateLimit }),
    restrictions: restrictionsAfter(before, options),
  };
}

function restrictionsAfter(before: KeyRestrictions, options: LimitOptions): KeyRestrictions {
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
  throw new KeyOptionError(`A key can have limits for at most ${maxValues} mints, not ${amounts.size}.`);
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
