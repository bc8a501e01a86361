import { addressToBytes, isOnCurve, parseAddress } from 'splwright-core';
import type { KeySettings } from '../../keys/key-store.ts';
import { isOperation, operations } from '../../operation.ts';
import { UsageError } from './keys-context.ts';

/** The options that limit a key, for `parseArgs`. */
export const limitOptions = {
  'rate-limit': { type: 'string' },
  'allow-operation': { type: 'string', multiple: true },
  'allow-mint': { type: 'string', multiple: true },
  'allow-from': { type: 'string', multiple: true },
  'allow-to': { type: 'string', multiple: true },
} as const;

/** The values of those options. */
export interface LimitValues {
  'rate-limit'?: string | undefined;
  'allow-operation'?: string[] | undefined;
  'allow-mint'?: string[] | undefined;
  'allow-from'?: string[] | undefined;
  'allow-to'?: string[] | undefined;
}

/** The limits on a command line; one that is left out stays as it is, and `null` removes it. */
export type KeyLimits = Partial<Pick<KeySettings, 'rateLimitPerMinute'> & Omit<KeySettings['restrictions'], 'amounts'>>;

const maxRate = 1_000_000;
/** Every value is kept in the memory of every server that caches the key. */
const maxAllowed = 100;

/** Reads the options that limit a key; throws a `UsageError`. */
export function parseLimits(values: LimitValues): KeyLimits {
  const operationTexts = parseList('--allow-operation', values['allow-operation'], checkOperation);
  const mints = parseList('--allow-mint', values['allow-mint'], describeAddressFault);
  const fromAddresses = parseList('--allow-from', values['allow-from'], checkWallet);
  const toAddresses = parseList('--allow-to', values['allow-to'], describeAddressFault);
  const rate = values['rate-limit'];
  return {
    ...(rate !== undefined && { rateLimitPerMinute: parseRate(rate) }),
    ...(operationTexts !== undefined && {
      operations: operationTexts && new Set([...operationTexts].filter(isOperation)),
    }),
    ...(mints !== undefined && { mints }),
    ...(fromAddresses !== undefined && { fromAddresses }),
    ...(toAddresses !== undefined && { toAddresses }),
  };
}

function parseRate(text: string): number | null {
  if (text === 'default') return null;
  if (text === 'none') return 0;
  const rate = /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : Number.NaN;
  if (rate <= maxRate) return rate;
  throw new UsageError(
    `--rate-limit cannot be ${JSON.stringify(text)}: it is requests per minute, from 1 to ${maxRate}, or none, or default`,
  );
}

// An option may be repeated, and may hold several values separated by commas.
function parseList(
  option: string,
  given: readonly string[] | undefined,
  faultOf: (text: string) => string | undefined,
): ReadonlySet<string> | null | undefined {
  if (given === undefined) return undefined;
  const texts = given.flatMap((text) => text.split(',')).map((text) => text.trim());
  if (texts.length === 1 && texts[0] === 'any') return null;
  for (const text of texts) {
    const fault = faultOf(text);
    if (fault !== undefined) throw new UsageError(`${option} cannot be ${JSON.stringify(text)}: ${fault}`);
  }
  const allowed = new Set(texts);
  if (allowed.size > maxAllowed) throw new UsageError(`${option} takes at most ${maxAllowed}, not ${allowed.size}`);
  return allowed;
}

function checkOperation(text: string): string | undefined {
  return isOperation(text) ? undefined : `it is ${operations.join(', ')}, or any`;
}

/** Returns the error message for a text that is not an address, otherwise `undefined`. */
export function describeAddressFault(text: string): string | undefined {
  return 'address' in parseAddress(text) ? undefined : 'it is a Solana address, the base58 text of 32 bytes, or any';
}

function checkWallet(text: string): string | undefined {
  const parsed = parseAddress(text);
  if ('fault' in parsed) return describeAddressFault(text);
  return isOnCurve(addressToBytes(parsed.address)) ? undefined : 'no key can sign for it, so it sends nothing';
}
