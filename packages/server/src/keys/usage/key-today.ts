import { AppError } from '../../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../../store/store-faults.ts';
import { type AuthenticatedKey, sandboxKeyId } from '../authenticated-key.ts';
import type { KeyRecords } from '../records/key-records.ts';
import { utcDayOf } from './daily-amounts.ts';

/** What a key has used on the current UTC day. */
export interface KeyToday {
  /** As `2026-11-21`. */
  day: string;
  /** The requests by their end (`built`, `replayed`, `answered` or the code of the refusal), some seconds late; `null` of the sandbox's key. */
  requests: ReadonlyMap<string, number> | null;
  /** The base units built of each mint that has a daily limit. */
  builtAmounts: ReadonlyMap<string, bigint>;
}

/** The store and the clock of a reader. */
export interface KeyTodayOptions {
  store: Pick<KeyRecords, 'findUsage' | 'findDailyAmounts'>;
  /** Milliseconds since the Unix epoch, from which the UTC day follows. */
  now: () => number;
}

/**
 * Makes what reads the usage of a key today.
 *
 * It rejects with an `AppError` of status 503 while the database does not answer.
 */
export function createKeyTodayReader({ store, now }: KeyTodayOptions) {
  return async ({ id, restrictions }: Pick<AuthenticatedKey, 'id' | 'restrictions'>): Promise<KeyToday> => {
    const day = utcDayOf(now());
    const hasDailyLimit = [...(restrictions.amounts?.values() ?? [])].some(({ perDay }) => perDay !== null);
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
