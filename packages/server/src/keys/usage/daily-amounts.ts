import { AppError } from '../../errors.ts';
import type { DailyAmount, KeyStore } from '../store/key-store.ts';
import { idOnLedger, type RecordLedger } from '../store/ledgers/ledger-store.ts';
import { storeFaultOf } from '../store/store-fault.ts';

/** The result of counting an amount towards a daily limit. */
export type CountedAmount =
  | { kind: 'counted' }
  /** Not counted: the sum of the day, which ends at `endsAt`, would exceed the limit. */
  | { kind: 'limit_reached'; builtToday: bigint; endsAt: Date }
  /** The store does not answer; `reason` is for the log. */
  | { kind: 'unavailable'; reason: string };

/** Counts the amounts that keys with a daily limit build. */
export interface DailyAmounts {
  /** Counts one transfer of a key, unless the day's sum would exceed the limit. Rejects with the fault of an upstream alone. */
  count(amount: Pick<DailyAmount, 'keyId' | 'mint' | 'amount'>, limit: bigint): Promise<CountedAmount>;
}

/** The store and the clock of a counter. */
export interface DailyAmountsOptions {
  store: Pick<KeyStore, 'addDailyAmount' | 'findDailyAmounts'>;
  /** Returns the ledger, of which alone amounts are counted, or throws the fault of the upstream; absent where there is one only. */
  ledger?: () => Promise<RecordLedger>;
  /** Milliseconds since the Unix epoch, from which the UTC day follows. */
  now: () => number;
}

const dayMs = 86_400_000;

/** Returns the UTC day of a moment, such as `2026-11-21`; `atMs` is in milliseconds since the Unix epoch. */
export function utcDayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/**
 * Makes a counter without memory of its own: every amount is added in the store, so that all processes count together.
 */
export function createDailyAmounts({ store, ledger, now }: DailyAmountsOptions): DailyAmounts {
  return {
    async count({ keyId: id, mint, amount }, limit) {
      const at = now();
      const day = utcDayOf(at);
      try {
        const keyId = ledger ? idOnLedger(await ledger(), id) : id;
        const isCounted = await store.addDailyAmount({ keyId, day, mint, amount }, limit);
        if (isCounted) return { kind: 'counted' };
        const builtToday = (await store.findDailyAmounts(keyId, day)).get(mint) ?? 0n;
        const endsAt = new Date(at - (at % dayMs) + dayMs);
        return { kind: 'limit_reached', builtToday, endsAt };
      } catch (error) {
        if (error instanceof AppError) throw error;
        return { kind: 'unavailable', reason: storeFaultOf(error) };
      }
    },
  };
}
