import { LRUCache } from 'lru-cache';
import type { Address } from 'splwright-core';
import type { Deadline } from './chain-reader.ts';
import { type DeadlineWatch, SharedAnswer } from './shared-answer.ts';

/** The upstream call, and what is shared with the rest of the reader. */
export interface RecentPricesOptions {
  /** Asks the upstreams. */
  call: (addresses: readonly Address[], deadline: Deadline) => Promise<readonly bigint[]>;
  watch: DeadlineWatch;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// Prices change within seconds.
const memoryMs = 5_000;
const maxRemembered = 1_000;

/** What others recently paid, cached for five seconds; requests for the same accounts share one call. */
export class RecentPrices {
  readonly #options: RecentPricesOptions;
  readonly #known = new LRUCache<string, { prices: readonly bigint[]; receivedAt: number }>({ max: maxRemembered });
  readonly #pending = new Map<string, SharedAnswer<readonly bigint[]>>();

  constructor(options: RecentPricesOptions) {
    this.#options = options;
  }

  /** Returns the prices for these accounts. Throws what the upstream call throws, or `upstream_timeout`. */
  async read(addresses: readonly Address[], deadline: Deadline): Promise<readonly bigint[]> {
    const key = addresses.join();
    const known = this.#known.peek(key);
    if (known && this.#options.now() - known.receivedAt < memoryMs) return known.prices;
    const pending = this.#pending.get(key) ?? this.#ask(key, addresses, deadline);
    return pending.wait(deadline, (prices) => prices);
  }

  #ask(key: string, addresses: readonly Address[], deadline: Deadline): SharedAnswer<readonly bigint[]> {
    const pending = new SharedAnswer<readonly bigint[]>(this.#options.watch);
    this.#pending.set(key, pending);
    pending
      .ask(() => this.#options.call(addresses, deadline))
      .finally(() => this.#pending.delete(key))
      .then(
        (prices) => {
          this.#known.set(key, { prices, receivedAt: this.#options.now() });
          pending.resolve(prices);
        },
        (error: unknown) => pending.reject(error),
      );
    return pending;
  }
}
