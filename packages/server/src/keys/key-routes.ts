import type { FastifyInstance } from 'fastify';
import type { RateLimiter } from '../app/limits/rate-limiter.ts';
import { keyedHeaders, refusalsOf, replyOf } from '../app/route-schema.ts';
import { AppError } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';
import { type AuthenticatedKey, sandboxKeyId } from './authenticated-key.ts';
import { exampleKey, type KeyJson, keyReplySchema, keyStatusText } from './key-schema.ts';
import type { UsageRecords } from './records/usage-records.ts';
import { apiKeyOf } from './require-api-key.ts';
import { sponsoredLamports, utcDayOf } from './usage/daily-amounts.ts';

export interface KeyRouteOptions {
  limiter: Pick<RateLimiter, 'limitOf'>;
  /** Reads what a key has used today; rejects with an `AppError`. */
  readKeyToday: (key: AuthenticatedKey) => Promise<KeyToday>;
}

/** Registers the path that says what the API key of the request is, whatever it is limited to. */
export function registerKeyRoute(app: FastifyInstance, { limiter, readKeyToday }: KeyRouteOptions): void {
  app.get(keyPath, keyRoute, async (request, reply) => {
    const key = apiKeyOf(request);
    const today = await readKeyToday(key);
    return reply.type('application/json').send(keyText(key, limiter.limitOf(key), today));
  });
}

/** The path that says what the API key of a request is. */
export const keyPath = '/v1/key';

const keyRoute = {
  config: { usage: 'answered' as const },
  schema: {
    operationId: 'readApiKey',
    summary: 'Read the key',
    description:
      'The name of the API key of the request, what it is limited to, what it has used today, and what is left. Any key may ask. ' +
      'No other key and no text of a key is shown.',
    tags: ['Service'],
    response: {
      200: replyOf('The key.', keyReplySchema, {
        headers: keyedHeaders,
        examples: { limited: { value: { data: exampleKey, status: keyStatusText } } },
      }),
      // A limit of a day holds for one ledger, which a node must have named once.
      ...refusalsOf(['keyed'], ['upstream_error', 'upstream_unavailable', 'upstream_timeout']),
    },
  },
};

/**
 * Returns the reply about an API key, as JSON text.
 *
 * `perMinute` is the limit that holds for it; 0 for none.
 */
function keyText(key: AuthenticatedKey, perMinute: number, today: KeyToday): string {
  const { operations, mints, fromAddresses, toAddresses, sponsoredLamportsPerDay, sponsorsRent } = key.restrictions;
  const hasSponsorLimit = sponsoredLamportsPerDay !== null;
  const data: KeyJson = {
    id: key.id,
    name: key.name,
    rate_limit_per_minute: perMinute === 0 ? null : perMinute,
    allowed_operations: operations && [...operations],
    allowed_mints: mints && [...mints],
    allowed_sender_count: fromAddresses?.size ?? null,
    allowed_recipient_count: toAddresses?.size ?? null,
    amount_limits: amountLimitsOf(key, today),
    sponsored_lamports_per_day: hasSponsorLimit ? sponsoredLamportsPerDay.toString() : null,
    sponsored_lamports_today: hasSponsorLimit ? (today.builtAmounts.get(sponsoredLamports) ?? 0n).toString() : null,
    sponsors_rent: sponsorsRent,
    day: today.day,
    usage_today: today.requests && usageOf(today.requests),
  };
  return JSON.stringify({ data, status: keyStatusText });
}

function amountLimitsOf({ restrictions }: AuthenticatedKey, { builtAmounts }: KeyToday): KeyJson['amount_limits'] {
  const { amounts } = restrictions;
  if (amounts === null) return null;
  return [...amounts].map(([mint, { perTransfer, perDay }]) => {
    const built = builtAmounts.get(mint) ?? 0n;
    // The limit may have been lowered in the meantime.
    const left = perDay !== null && perDay > built ? perDay - built : 0n;
    return {
      token_mint_address: mint,
      per_transfer: perTransfer === null ? null : perTransfer.toString(),
      per_day: perDay === null ? null : perDay.toString(),
      built_today: perDay === null ? null : built.toString(),
      left_today: perDay === null ? null : left.toString(),
    };
  });
}

function usageOf(requests: ReadonlyMap<string, number>): KeyJson['usage_today'] {
  const { built = 0, replayed = 0, answered = 0, ...refusals } = Object.fromEntries(requests);
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  return { requests: built + replayed + answered + refused, built, replayed, answered, refused, refusals };
}

/** Counts of the current UTC day. */
interface KeyToday {
  /** As `2026-11-21`. */
  day: string;
  /** The requests by their end (`built`, `replayed`, `answered` or the code of the refusal), some seconds late; `null` of the sandbox's key. */
  requests: ReadonlyMap<string, number> | null;
  /** The base units built of each mint that has a daily limit, and of `sponsoredLamports`. */
  builtAmounts: ReadonlyMap<string, bigint>;
}

/** Makes what reads the usage of a key today; it rejects with an `AppError` of status 503 while the database does not answer. */
export function createKeyTodayReader(store: Pick<UsageRecords, 'findUsage' | 'findDailyAmounts'>, now: () => number) {
  return async ({ id, restrictions }: Pick<AuthenticatedKey, 'id' | 'restrictions'>): Promise<KeyToday> => {
    const day = utcDayOf(now());
    const hasDailyLimit =
      restrictions.sponsoredLamportsPerDay !== null ||
      [...(restrictions.amounts?.values() ?? [])].some(({ perDay }) => perDay !== null);
    try {
      const [usage, builtAmounts] = await Promise.all([
        id === sandboxKeyId ? null : store.findUsage(id, day),
        hasDailyLimit ? store.findDailyAmounts(id, day) : new Map<string, bigint>(),
      ]);
      const requests = usage && new Map(usage.map(({ outcome, requests }) => [outcome, requests]));
      return { day, requests, builtAmounts };
    } catch (error) {
      const detail = 'What this API key has used today cannot be read now. Try again soon.';
      throw new AppError('key_store_unavailable', detail, {
        retryAfterSeconds: storeRetrySeconds,
        cause: storeFaultOf(error),
      });
    }
  };
}
