import type { DailyAmount } from '../keys/api-key-record.ts';
import type { KeyRestrictions } from '../keys/authenticated-key.ts';
import type { UsageRecords } from '../keys/records/usage-records.ts';
import { sponsoredLamports, utcDayOf } from '../keys/usage/daily-amounts.ts';
import { AppError } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';

/** The lamports that sponsors would pay for some transactions, and for whom they are counted. */
export interface SponsoredCosts {
  /** Network fees, priority fees and rent, at most. */
  lamports: bigint;
  /** Part of them, for token accounts that would be created. */
  rent: bigint;
  /** Limits of the API key, or of a payment link, and by which id they are counted. */
  countedFor: { id: string } & Pick<KeyRestrictions, 'sponsoredLamportsPerDay' | 'sponsorsRent'>;
}

/** Counts what sponsors pay in the store, so that all processes count together. */
export class SponsoredLamports {
  readonly #store: Pick<UsageRecords, 'addDailyAmount'>;
  readonly #now: () => number;

  /** `now`: milliseconds since the Unix epoch. */
  constructor(store: Pick<UsageRecords, 'addDailyAmount'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Throws `key_not_allowed` where a sponsor would pay rent that it may not. */
  assertRentAllowed({ rent, countedFor }: SponsoredCosts): void {
    if (rent === 0n || countedFor.sponsorsRent) return;
    const detail =
      `This API key may not have the sponsor pay rent, which is ${rent} lamports for the token accounts that would be created. Have the ` +
      'recipient create the token account first, and leave out create_token_account "always"; or ask the operator to allow it: keys update ' +
      '--sponsor-rent.';
    throw new AppError('key_not_allowed', detail, {
      findings: [{ code: 'key_not_allowed', pointer: '/fee_payer', detail }],
    });
  }

  /**
   * Counts the costs of transactions that are about to be handed out.
   *
   * Throws `daily_limit_reached`, or `key_store_unavailable`; what was signed must then not be handed out.
   */
  async count({ lamports, countedFor }: SponsoredCosts): Promise<void> {
    const { id, sponsoredLamportsPerDay: limit } = countedFor;
    if (limit === null) return;
    const { added } = this.additionOf(lamports, id, limit);
    const isWithin = await this.#store.addDailyAmount(added, limit).catch((error: unknown) => {
      throw new AppError(
        'key_store_unavailable',
        'What sponsors pay cannot be counted now. Nothing was handed out. Try again soon.',
        {
          retryAfterSeconds: storeRetrySeconds,
          cause: storeFaultOf(error),
        },
      );
    });
    if (isWithin) return;
    const detail =
      `The sponsor would pay ${lamports} lamports, and less is left of the ${limit} that it may pay in a day. ` +
      'The next day begins at 00:00 UTC. Send it then, or name a wallet of yours as the fee_payer.';
    throw new AppError('daily_limit_reached', detail, {
      findings: [{ code: 'daily_limit_reached', pointer: '/fee_payer', detail }],
    });
  }

  /** Returns what is to be added to the sum of today of a key or a link, and its limit. */
  additionOf(lamports: bigint, id: string, limit: bigint): { added: DailyAmount; limit: bigint } {
    return { added: { keyId: id, day: utcDayOf(this.#now()), mint: sponsoredLamports, amount: lamports }, limit };
  }
}
