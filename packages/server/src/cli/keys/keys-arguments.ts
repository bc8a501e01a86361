import { InvalidArgumentError } from 'commander';
import {
  type Allowed,
  type AmountChanges,
  KeyOptionError,
  maxRatePerMinute,
  maxValues,
  readAddress,
  readAmount,
  readDuration,
  readExpiry,
  readMint,
  readName,
  readOperation,
  readSender,
  type SettingOptions,
} from '../../keys/key-options.ts';

// Commander takes `null` for an option without a value, so that words stand for it here.

/** The options of `keys create`. */
export interface CreateOptions extends SettingOptions {
  name: string;
}

/** The options of the commands on keys that exist; each takes some of them. `name` is that of the key. */
export interface KeyOptions extends SettingOptions {
  id?: string;
  newName?: string;
  closeLinks?: true;
  overlap?: number;
  days?: number;
  limit?: number;
  json?: true;
}

/** Returns what `read` does, and throws what it refuses as another error. */
export function refusedAs<Value>(refusal: new (message: string) => Error, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof KeyOptionError ? new refusal(error.message) : error;
  }
}

// The parsers of Commander throw an `InvalidArgumentError`, whose message it completes.
const parserOf =
  <Value>(read: (text: string) => Value) =>
  (text: string): Value =>
    refusedAs(InvalidArgumentError, () => read(text));

/** The parser of a key's name. */
export const parseName = parserOf(readName);

/** The parser of a time, in milliseconds. */
export const parseDuration = parserOf(readDuration);

/** The parser of an expiry. */
export const parseExpiry = parserOf(readExpiry);

/** Makes the parser of a number from 1 to `max`. */
export function countUpTo(max: number, otherwise = ''): (text: string) => number {
  return (text) => {
    if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It is from 1 to ${max}${otherwise}.`);
  };
}

const parseRate = countUpTo(maxRatePerMinute, ', or none, or default');

/** Reads requests per minute: 0 for `none`. */
export function parseRateLimit(text: string): number | 'default' {
  if (text === 'default') return text;
  return text === 'none' ? 0 : parseRate(text);
}

/** Makes the parser of an option that may be repeated, and may hold several values separated by commas, or `any` alone. */
function allowedOf<Value extends string>(read: (text: string) => Value) {
  const parse = parserOf(read);
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
export const parseOperations = allowedOf(readOperation);

/** The parser of recipients. */
export const parseAddresses = allowedOf<string>(readAddress);

/** The parser of mints. */
export const parseMints = allowedOf(readMint);

/** The parser of senders. */
export const parseSenders = allowedOf(readSender);

/** The parser of the lamports that sponsors may pay in a day. */
export const parseLamports = parserOf((text) => (text === 'any' ? text : readAmount(text)));

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
    const address = parserOf(readMint)(mint);
    if (changes.has(address)) throw new InvalidArgumentError(`The mint ${address} has two limits.`);
    changes.set(address, amount === 'any' ? null : parserOf(readAmount)(amount));
  }
  return changes;
}
