import type { Address, TransferRequest } from 'splwright-core';
import { AppError } from '../../errors.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import { storeRetrySeconds } from '../../keys/store-retry-seconds.ts';
import type { DailyAmounts } from '../../keys/usage/daily-amounts.ts';

/** Returns the daily limit of a transfer's mint in base units; `undefined` when the key has none for it. */
export function dailyLimitOf({ restrictions }: AuthenticatedKey, { mint }: TransferRequest): bigint | undefined {
  return restrictions.amounts?.get(mint)?.perDay ?? undefined;
}

/**
 * Counts a transfer towards the daily limit of its key. To be called last, just before the reply is sent.
 *
 * Throws an `AppError` of status 403 when the day's sum would exceed the limit, or 503 when it cannot be counted; the transaction
 * must then not be sent.
 */
export async function countDailyAmount(
  dailyAmounts: DailyAmounts,
  { id }: AuthenticatedKey,
  { mint, amount }: { mint: Address; amount: bigint },
  limit: bigint,
): Promise<void> {
  const counted = await dailyAmounts.count({ keyId: id, mint, amount }, limit);
  switch (counted.kind) {
    case 'counted':
      return;
    case 'limit_reached':
      throw limitReached(mint, amount, limit, counted);
    case 'unavailable':
      throw new AppError(
        'key_store_unavailable',
        'This API key has a daily limit, and what it built today cannot be counted now. Nothing was built. Try again soon.',
        { retryAfterSeconds: storeRetrySeconds, cause: counted.reason },
      );
  }
}

function limitReached(
  mint: string,
  amount: bigint,
  limit: bigint,
  { builtToday, endsAt }: { builtToday: bigint; endsAt: Date },
): AppError {
  // The limit may have been lowered in the meantime.
  const left = limit > builtToday ? limit - builtToday : 0n;
  const detail =
    `This API key may build transfers of ${limit} base units of ${mint} a day and has built ${builtToday} today: ` +
    `${left} are left, and the amount is ${amount}. The next day begins at ${endsAt.toISOString()}. ` +
    `Send ${left > 0n ? 'a smaller amount, or the transfer then' : 'the transfer then'}, or use another key.`;
  return new AppError('daily_limit_reached', detail, {
    findings: [{ code: 'daily_limit_reached', pointer: '/amount', detail }],
  });
}
