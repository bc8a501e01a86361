import type { RequestId } from '../../src/idempotency/idempotent-request.ts';
import { KeyedRequests } from '../../src/idempotency/keyed-requests.ts';
import { type AuthenticatedKey, type KeyRestrictions, unrestricted } from '../../src/keys/authenticated-key.ts';
import type { OutcomeItem, Verdict } from '../../src/outcomes/verdict.ts';
import { verdicts } from '../idempotency/verdicts.ts';
import { WatchedRecords } from '../idempotency/watched-records.ts';

/** The request that tests repeat. */
export const requestId: RequestId = { scope: 'root_1', path: '/v1/transfers', key: 'order-7' };

/** An API key with these restrictions. */
export function apiKeyWith(restrictions: Partial<KeyRestrictions> = {}): AuthenticatedKey {
  return {
    id: 'key_1',
    rootId: 'root_1',
    name: 'shop',
    rateLimitPerMinute: null,
    restrictions: { ...unrestricted, ...restrictions },
  };
}

/** What requests with an `Idempotency-Key` are answered with: a store in memory, and a chain that says what a test says. */
export class KeyedScene {
  readonly keyedRequests: KeyedRequests;
  /** What became of what was built, in its order; by default it can still land. */
  verdicts: readonly Verdict[] = [];
  /** The transactions that the chain was asked for, by questions. */
  readonly asked: (readonly OutcomeItem[])[] = [];
  readonly #records = new WatchedRecords();

  constructor() {
    this.keyedRequests = new KeyedRequests({
      records: this.#records,
      outcomes: {
        find: async (items) => {
          this.asked.push(items);
          return items.map((_, index) => this.verdicts[index] ?? verdicts.pending());
        },
      },
      readBlockHeight: async () => 0n,
      readSlotMs: async () => undefined,
      now: () => 1_000_000,
      leaseReserveMs: 2_000,
      timeLeftMs: () => 5_000,
      retentionMs: 86_400_000,
      maxStoredBytes: 0,
      confirmCluster: async () => undefined,
    });
  }

  /** What the key has counted towards its limits of the day, by mint. */
  counted(): Promise<ReadonlyMap<string, bigint>> {
    return this.#records.countedOf('key_1', '1970-01-01');
  }
}
