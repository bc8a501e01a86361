import type { DailyAmount, KeyStore } from '../store/key-store.ts';
import { storeFaultOf } from '../store/store-fault.ts';

/** What came of counting an amount towards a day's limit. */
export type CountedAmount =
  | { kind: 'counted' }
  /** Not counted: with what was built before, it would be above the limit until `endsAt`. */
  | { kind: 'limit_reached'; builtToday: bigint; endsAt: Date }
  /** The store cannot be asked; `reason` is for the log. */
  | { kind: 'unavailable'; reason: string };

/** Counts what keys with a daily limit build. */
export interface DailyAmounts {
  /** Counts one transfer of a key, unless the day's sum would be above the limit. Never rejects. */
  count(amount: Pick<DailyAmount, 'keyId' | 'mint' | 'amount'>, limit: bigint): Promise<CountedAmount>;
}

/** What the counting of a day's amounts needs. */
export interface DailyAmountsOptions {
  store: Pick<KeyStore, 'addDailyAmount' | 'findDailyAmounts' | 'forgetDailyAmountsBefore'>;
  /** Milliseconds since the Unix epoch: they decide which day it is, in UTC. */
  now: () => number;
}

const dayMs = 86_400_000;
/** Past days are kept, so that a clock that is set back finds what was built then. */
const daysKept = 30;

/** The day of a moment in UTC, as `2026-11-21`. */
export function utcDayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/**
 * Makes a counter that holds nothing in memory: every amount is added in the store, so that all processes count together.
 *
 * Rows of days long past are deleted once a day.
 */
export function createDailyAmounts({ store, now }: DailyAmountsOptions): DailyAmounts {
  let cleanedOn: string | undefined;

  // Not waited for: what is left is deleted the next day, or by another process.
  const cleanOnceOn = (day: string, at: number): void => {
    if (cleanedOn === day) return;
    cleanedOn = day;
    store.forgetDailyAmountsBefore(utcDayOf(at - daysKept * dayMs)).catch(() => undefined);
  };

  return {
    async count({ keyId, mint, amount }, limit) {
      const at = now();
      const day = utcDayOf(at);
      try {
        const isCounted = await store.addDailyAmount({ keyId, day, mint, amount }, limit);
        if (isCounted) {
          cleanOnceOn(day, at);
          return { kind: 'counted' };
        }
        const builtToday = (await store.findDailyAmounts(keyId, day)).get(mint) ?? 0n;
        const endsAt = new Date(at - (at % dayMs) + dayMs);
        return { kind: 'limit_reached', builtToday, endsAt };
      } catch (error) {
        return { kind: 'unavailable', reason: storeFaultOf(error) };
      }
    },
  };
}
