import { type Static, type TSchema, Type } from 'typebox';
import { closed } from '../app/schema-parts.ts';
import { invalidRequest } from '../app/validate.ts';
import { pointerTo } from '../app/visible-text.ts';
import type { DescribedFinding } from '../problems.ts';
import type { KeyRestrictions } from './authenticated-key.ts';
import {
  durationPattern,
  KeyOptionError,
  maxRatePerMinute,
  maxValues,
  momentOf,
  readAddress,
  readAmount,
  readExpiry,
  readMint,
  readName,
  readOperation,
  readSender,
  type SettingOptions,
  settingsAfter,
} from './key-options.ts';

// Null removes a limit. It is a value of each member here: a member that is null and of another type is taken for absent.
const orNull = <Schema extends TSchema>(schema: Schema, what: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { expected: `${what}, or null` }));
const list = orNull(
  Type.Array(Type.String(), { minItems: 1, maxItems: maxValues }),
  `an array of 1 to ${maxValues} JSON strings`,
);
const amount = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const amounts = Type.Object({ per_transfer: amount, per_day: amount }, { minProperties: 1, ...closed });
const amountLimits = Type.Record(Type.String(), Type.Union([amounts, Type.Null()]), { minProperties: 1 });

const settings = {
  expires: orNull(Type.String(), 'a JSON string such as "90d"'),
  rate_limit_per_minute: orNull(
    Type.Integer({ minimum: 0, maximum: maxRatePerMinute }),
    `a whole number from 0 to ${maxRatePerMinute}`,
  ),
  allowed_operations: list,
  allowed_mints: list,
  allowed_from_addresses: list,
  allowed_to_addresses: list,
  amount_limits: orNull(
    amountLimits,
    'an object with {"per_transfer": "1000000", "per_day": "5000000"} or one of both by mint',
  ),
  sponsored_lamports_per_day: orNull(Type.String(), 'a JSON string of lamports'),
  sponsor_rent: orNull(Type.Boolean(), 'true or false'),
};

/** The body that creates a key. */
export const createKeyBody = Type.Object({ name: Type.String(), ...settings }, closed);

/** The body that changes a key: what is absent stays. */
export const updateKeyBody = Type.Object({ name: orNull(Type.String(), 'a JSON string'), ...settings }, closed);

const closeLinks = { close_links: Type.Optional(Type.Boolean()) };

/** The body that revokes a key. */
export const revokeKeyBody = Type.Object(closeLinks, closed);

/** The body that replaces a key. */
export const rotateKeyBody = Type.Object(
  {
    overlap: Type.Optional(
      Type.String({ pattern: durationPattern.source, expected: 'a time such as "7d", "12h" or "30m"' }),
    ),
    ...closeLinks,
  },
  closed,
);

/**
 * Returns the settings that a body makes or changes, by the rules of the command; `before` are the restrictions of the key until now.
 *
 * Throws an `AppError` of the code `invalid_request` with all values that break one.
 */
export function readKeyBody(body: Static<typeof updateKeyBody>, before: KeyRestrictions, now: Date) {
  const found: DescribedFinding[] = [];
  const read = <Value>(pointer: string, rule: () => Value): Value | undefined => {
    try {
      return rule();
    } catch (error) {
      if (!(error instanceof KeyOptionError)) throw error;
      found.push({ code: 'invalid_value', pointer, detail: `${pointer.slice(1)}: ${error.message}` });
      return undefined;
    }
  };
  const setOf = <Item extends string>(at: string, texts: readonly string[], rule: (text: string) => Item) =>
    new Set(texts.flatMap((text, index) => read(`${at}/${index}`, () => rule(text)) ?? []));
  for (const mint of Object.keys(body.amount_limits ?? {}))
    read(pointerTo(mint, '/amount_limits'), () => readMint(mint));
  const changesOf = (which: keyof Static<typeof amounts>, limits: Static<typeof amountLimits>) => {
    const changes = new Map<string, bigint | null>();
    for (const [mint, limit] of Object.entries(limits)) {
      const at = `${pointerTo(mint, '/amount_limits')}/${which}`;
      const amount = limit === null ? null : given(limit[which], null, (text) => read(at, () => readAmount(text)));
      if (amount !== undefined) changes.set(mint, amount);
    }
    return changes;
  };
  const options: SettingOptions = {
    name: given(body.name, undefined, (name) => read('/name', () => readName(name))),
    expires: given(body.expires, 'never', (text) => read('/expires', () => momentOf(readExpiry(text), now))),
    rateLimit: given(body.rate_limit_per_minute, 'default', (rate) => rate),
    allowOperation: given(body.allowed_operations, 'any', (all) => setOf('/allowed_operations', all, readOperation)),
    allowMint: given(body.allowed_mints, 'any', (all) => setOf('/allowed_mints', all, readMint)),
    allowFrom: given(body.allowed_from_addresses, 'any', (all) => setOf('/allowed_from_addresses', all, readSender)),
    allowTo: given(body.allowed_to_addresses, 'any', (all) => setOf('/allowed_to_addresses', all, readAddress)),
    transferLimit: given(body.amount_limits, 'any', (limits) => changesOf('per_transfer', limits)),
    dailyLimit: given(body.amount_limits, 'any', (limits) => changesOf('per_day', limits)),
    sponsoredLamportsPerDay: given(body.sponsored_lamports_per_day, 'any', (text) =>
      read('/sponsored_lamports_per_day', () => readAmount(text)),
    ),
    sponsorRent: body.sponsor_rent ?? undefined,
  };
  // The one rule that is left: how many mints have limits.
  const changed = read('/amount_limits', () => settingsAfter(before, options, now));
  if (changed === undefined || found.length > 0) throw invalidRequest(found, body);
  return changed;
}

function given<Sent, Value, const None>(
  sent: Sent | null | undefined,
  none: None,
  rule: (sent: Sent) => Value,
): Value | None | undefined {
  if (sent === null) return none;
  return sent === undefined ? undefined : rule(sent);
}
