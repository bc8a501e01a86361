import { addressToBytes, isOnCurve, maxAmount, parseAddress, parseAmount } from 'splwright-core';
import type { KeySettings } from '../../keys/api-key-record.ts';
import type { AmountLimit, KeyRestrictions } from '../../keys/authenticated-key.ts';
import { isOperation, operations } from '../../operation.ts';
import { UsageError } from '../command-errors.ts';

/** The options that limit a key. */
export interface LimitValues {
  rateLimit?: string;
  allowOperation?: readonly string[];
  allowMint?: readonly string[];
  allowFrom?: readonly string[];
  allowTo?: readonly string[];
}

/** The limits on a command line; one that is left out stays as it is, and `null` removes it. */
export type KeyLimits = Partial<Pick<KeySettings, 'rateLimitPerMinute'> & Omit<KeySettings['restrictions'], 'amounts'>>;

const maxRate = 1_000_000;
/** Every value is kept in the memory of every server that caches the key. */
const maxAllowed = 100;

/** Reads the options that limit a key; throws a `UsageError`. */
export function parseLimits(values: LimitValues): KeyLimits {
  const operationTexts = parseList('--allow-operation', values.allowOperation, checkOperation);
  const mints = parseList('--allow-mint', values.allowMint, describeAddressFault);
  const fromAddresses = parseList('--allow-from', values.allowFrom, checkWallet);
  const toAddresses = parseList('--allow-to', values.allowTo, describeAddressFault);
  const rate = values.rateLimit;
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
function describeAddressFault(text: string): string | undefined {
  return 'address' in parseAddress(text) ? undefined : 'it is a Solana address, the base58 text of 32 bytes, or any';
}

function checkWallet(text: string): string | undefined {
  const parsed = parseAddress(text);
  if ('fault' in parsed) return describeAddressFault(text);
  return isOnCurve(addressToBytes(parsed.address)) ? undefined : 'no key can sign for it, so it sends nothing';
}

/** The options that limit the amounts of a key. */
export interface AmountValues {
  transferLimit?: readonly string[];
  dailyLimit?: readonly string[];
}

/** New limits by mint, where `null` removes the mint's limit; `any` removes all. */
type Changes = ReadonlyMap<string, bigint | null> | 'any';

/** The changes of a command line to the amount limits of a key; other limits stay as they are. */
export interface AmountLimitChanges {
  perTransfer?: Changes;
  perDay?: Changes;
}

/** Every limit is kept in the memory of every server that caches the key. */
const maxMints = 100;

/** Reads the options that limit amounts; throws a `UsageError`. */
export function parseAmountLimits({ transferLimit, dailyLimit }: AmountValues): AmountLimitChanges {
  return {
    ...(transferLimit && { perTransfer: parseChanges('--transfer-limit', transferLimit) }),
    ...(dailyLimit && { perDay: parseChanges('--daily-limit', dailyLimit) }),
  };
}

/** Returns the amount limits of a key after a change; `null` when none are left. Throws a `UsageError` for too many. */
export function changeAmountLimits(
  before: KeyRestrictions['amounts'],
  changes: AmountLimitChanges,
): KeyRestrictions['amounts'] {
  const limits = new Map(before);
  change(limits, 'perTransfer', changes.perTransfer);
  change(limits, 'perDay', changes.perDay);
  if (limits.size > maxMints)
    throw new UsageError(`a key takes limits of at most ${maxMints} mints, not ${limits.size}`);
  return limits.size > 0 ? limits : null;
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

function change(limits: Map<string, AmountLimit>, which: keyof AmountLimit, changes: Changes | undefined): void {
  const all = changes === 'any' ? new Map([...limits.keys()].map((mint) => [mint, null])) : changes;
  for (const [mint, amount] of all ?? []) {
    const limit = { perTransfer: null, perDay: null, ...limits.get(mint), [which]: amount };
    if (limit.perTransfer === null && limit.perDay === null) limits.delete(mint);
    else limits.set(mint, limit);
  }
}

// An option may be repeated, and may hold several values separated by commas.
function parseChanges(option: string, given: readonly string[]): Changes {
  const texts = given.flatMap((text) => text.split(',')).map((text) => text.trim());
  if (texts.length === 1 && texts[0] === 'any') return 'any';
  const changes = new Map<string, bigint | null>();
  for (const text of texts) {
    const [mint = '', amount, ...rest] = text.split('=');
    const fail = (fault: string): never => {
      throw new UsageError(`${option} cannot be ${JSON.stringify(text)}: ${fault}`);
    };
    if (amount === undefined || rest.length > 0) return fail('it is <mint>=<amount>, or any');
    const fault = describeAddressFault(mint);
    if (fault !== undefined) return fail(`before the = stands a mint; ${fault}`);
    if (changes.has(mint)) return fail(`the mint ${mint} has two limits`);
    const parsed = amount === 'any' ? { amount: null } : parseAmount(amount);
    if ('fault' in parsed) return fail(`the amount is base units, from 1 to ${maxAmount}, or any`);
    changes.set(mint, parsed.amount);
  }
  return changes;
}
