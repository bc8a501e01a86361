import { replyQuotaReached } from './idempotency-problems.ts';
import type { IdempotencyRecords } from './records/idempotency-records.ts';

/** How much one API key may store, and for how long. */
export interface ReplyQuotaOptions {
  records: Pick<IdempotencyRecords, 'storedBytesOf'>;
  /** Bytes of stored replies that a key may have at once; 0 for no limit. */
  maxStoredBytes: number;
  /** How long a reply is kept. */
  retentionMs: number;
}

/** A reply has the accounts and signatures of its transactions beside what was asked for. */
const bytesPerBodyByte = 2;
const bytesPerReply = 2_000;

/**
 * Bounds the bytes that the stored replies of each API key take.
 *
 * What a request will store is estimated from its body until its reply is stored, so that requests that arrive at once share what is left.
 */
export class ReplyQuota {
  readonly #options: ReplyQuotaOptions;
  /** The estimates of the requests under way, by scope. */
  readonly #underWay = new Map<string, number>();

  constructor(options: ReplyQuotaOptions) {
    this.#options = options;
  }

  /**
   * Reserves room for the reply to a request at `now`; its `giveBack` is to be called once the reply is stored.
   *
   * Throws an `AppError` of status 507 when there is no room, and what the store throws.
   */
  async reserve(scope: string, bodyBytes: number, now: number): Promise<{ giveBack: () => void }> {
    const { records, maxStoredBytes, retentionMs } = this.#options;
    if (maxStoredBytes === 0) return { giveBack: () => undefined };
    const storedBytes = await records.storedBytesOf(scope, now);
    const estimate = bytesPerReply + bytesPerBodyByte * bodyBytes;
    const underWay = this.#underWay.get(scope) ?? 0;
    if (storedBytes + underWay + estimate > maxStoredBytes) {
      throw replyQuotaReached({ storedBytes, underWayBytes: underWay + estimate, maxStoredBytes, retentionMs });
    }
    this.#underWay.set(scope, underWay + estimate);
    const giveBack = (): void => {
      const left = (this.#underWay.get(scope) ?? 0) - estimate;
      if (left > 0) this.#underWay.set(scope, left);
      else this.#underWay.delete(scope);
    };
    return { giveBack };
  }
}
