import { AppError } from '../../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../../store/store-faults.ts';
import type { DailyAddition } from '../api-key-record.ts';
import type { AuthenticatedKey, KeyRestrictions } from '../authenticated-key.ts';
import type { KeyRecords } from '../records/key-records.ts';

/** Base units of a mint that a key builds, or the lamports that a sponsor pays for that. */
export interface BuiltAmount {
  mint: string;
  amount: bigint;
  /** Where its request has the amount, as a JSON pointer. */
  pointer: string;
}

/** Counts the amounts that keys with a daily limit build. */
export interface DailyAmounts {
  /**
   * Counts what a key has built, of each mint once, where it has a daily limit for the mint. To be called last, just before the reply is
   * sent; what is stored under an `Idempotency-Key` is counted in that write.
   *
   * Throws an `AppError` of status 403 when the day's sum would exceed the limit, or 503 when it cannot be counted; the transaction must
   * then not be sent.
   */
  count(key: LimitedKey, ...built: readonly BuiltAmount[]): Promise<void>;
}

type LimitedKey = Pick<AuthenticatedKey, 'id' | 'restrictions'>;

/** The store and the clock of a counter. */
export interface DailyAmountsOptions {
  store: Pick<KeyRecords, 'addDailyAmounts' | 'findDailyAmounts'>;
  /** Milliseconds since the Unix epoch, from which the UTC day follows. */
  now: () => number;
}

/** Stands in for a mint where the lamports are counted that sponsors pay for a key. */
export const sponsoredLamports = 'sponsored_lamports';

const dayMs = 86_400_000;

/** Returns the UTC day of a moment, such as `2026-11-21`; `atMs` is in milliseconds since the Unix epoch. */
export function utcDayOf(atMs: number): string {
  const day = Math.floor(atMs / dayMs);
  // Asked for each request, and nearly always of the same day.
  if (day !== lastDay.day) lastDay = { day, text: new Date(atMs).toISOString().slice(0, 10) };
  return lastDay.text;
}

let lastDay = { day: Number.NaN, text: '' };

/** Returns how many base units of a mint a key may build in a day; `undefined` when it has no such limit. */
function dailyLimitOf({ amounts, sponsoredLamportsPerDay }: KeyRestrictions, mint: string): bigint | undefined {
  return (mint === sponsoredLamports ? sponsoredLamportsPerDay : amounts?.get(mint)?.perDay) ?? undefined;
}

/** Returns how many base units a key may build in a day, by mint: of those with such a limit. */
export function dailyLimitsOf({ amounts }: KeyRestrictions): ReadonlyMap<string, bigint> {
  return new Map([...(amounts ?? [])].flatMap(([mint, { perDay }]) => (perDay === null ? [] : [[mint, perDay]])));
}

/** Returns what of the amounts that a key has built counts towards its limits of the day, which is that of `atMs`, in one order for all requests. */
export function dailyAdditionsOf(
  { id: keyId, restrictions }: LimitedKey,
  built: readonly BuiltAmount[],
  atMs: number,
): readonly DailyAddition[] {
  const day = utcDayOf(atMs);
  return built
    .flatMap(({ mint, amount, pointer }) => {
      const limit = dailyLimitOf(restrictions, mint);
      return limit === undefined ? [] : [{ added: { keyId, day, mint, amount }, limit, pointer }];
    })
    .sort((one, other) => (one.added.mint < other.added.mint ? -1 : 1));
}

/**
 * Makes a counter without memory of its own: every amount is added in the store, so that all processes count together.
 */
export function createDailyAmounts({ store, now }: DailyAmountsOptions): DailyAmounts {
  return {
    async count(key, ...built) {
      const atMs = now();
      const limited = dailyAdditionsOf(key, built, atMs);
      if (limited.length === 0) return;
      try {
        const refused = await store.addDailyAmounts(limited);
        if (!refused) return;
        const { added, limit, pointer } = refused;
        const builtToday = (await store.findDailyAmounts(key.id, added.day)).get(added.mint) ?? 0n;
        throw dailyLimitReached({ ...added, pointer }, { limit, builtToday, atMs });
      } catch (error) {
        throw error instanceof AppError ? error : cannotCount(error);
      }
    },
  };
}

/** The refusal of an amount that would exceed the limit of a day: that of `atMs`, in milliseconds since the Unix epoch. */
export function dailyLimitReached(
  { mint, amount, pointer }: BuiltAmount,
  { limit, builtToday, atMs }: { limit: bigint; builtToday: bigint; atMs: number },
): AppError {
  // The limit may have been lowered in the meantime.
  const left = limit > builtToday ? limit - builtToday : 0n;
  const endsAt = new Date(atMs - (atMs % dayMs) + dayMs);
  const nextDay = `The next day begins at ${endsAt.toISOString()}.`;
  const [may, remedy] =
    mint === sponsoredLamports
      ? [
          `have a sponsor pay ${limit} lamports a day, and ${builtToday} are counted today: ${left} are left, and this costs ${amount}`,
          `${amount > limit ? 'Have the operator raise the limit' : `${nextDay} Send it then`}, or name a wallet of yours as the fee_payer`,
        ]
      : [
          `build transfers of ${limit} base units of ${mint} a day and has built ${builtToday} today: ${left} are left, and the amount is ${amount}`,
          `${nextDay} Send ${left > 0n ? 'a smaller amount, or the transfer then' : 'the transfer then'}, or use another key`,
        ];
  const detail = `This API key may ${may}. ${remedy}.`;
  return new AppError('daily_limit_reached', detail, {
    findings: [{ code: 'daily_limit_reached', pointer, detail }],
  });
}

function cannotCount(error: unknown): AppError {
  return new AppError(
    'key_store_unavailable',
    'This API key has a daily limit, and what it built today cannot be counted now. Nothing was built. Try again soon.',
    { retryAfterSeconds: storeRetrySeconds, cause: storeFaultOf(error) },
  );
}
