import { Budget } from './budget.ts';
import type { LeaseSource } from './lease-source.ts';
import type { LimitedKey, RateLimitDecision, RateLimiter } from './rate-limiter.ts';
import { RecentEntries } from './recent-entries.ts';

/** How long a request waits for the source before it may pass on credit. */
const patienceMilliseconds = 5;

/** What a limiter with shared budgets stands on. */
export interface LeasedRateLimiterOptions {
  source: LeaseSource;
  /** The limit of keys without one of their own; 0: none. */
  defaultPerMinute: number;
  /** How many processes share the budgets: for so many it is exact within 1 %, whichever of them the requests go to. */
  processes: number;
  /** A clock in milliseconds that never goes back. */
  now: () => number;
}

/**
 * Limits the requests of several processes together: each takes small blocks of a budget from a common source.
 *
 * A block is a hundredth of what is left, divided by the processes: what one leases and never uses is lost to the others.
 * So a large limit takes few round trips, and a small one a round trip for each request. All that waits for grants is
 * asked for in one message, one message at a time. While the source does not answer in time, requests pass on credit as far
 * as that is safe; while it cannot be reached, the process holds each key to its limit by itself.
 */
export class LeasedRateLimiter implements RateLimiter {
  readonly #options: LeasedRateLimiterOptions;
  readonly #budgets = new RecentEntries<Budget>((budget, now) => budget.isIdle(now));
  readonly #needy = new Set<Budget>();
  #isAsking = false;
  #isLate = false;
  #lateness: NodeJS.Timeout | undefined;
  #asked: readonly Budget[] = [];

  constructor(options: LeasedRateLimiterOptions) {
    this.#options = options;
  }

  take(key: LimitedKey): RateLimitDecision | Promise<RateLimitDecision> | undefined {
    const limit = key.rateLimitPerMinute ?? this.#options.defaultPerMinute;
    if (limit === 0) return undefined;
    const now = this.#options.now();
    const budget = this.#budgetOf(key.id, limit, now);
    if (!this.#options.source.isReachable) return budget.decideAlone(now);
    // Who waits goes first.
    const decision = budget.waiting.length > 0 ? undefined : this.#decide(budget, now);
    return decision ?? this.#wait(budget);
  }

  #decide(budget: Budget, now: number): RateLimitDecision | undefined {
    return this.#isLate ? budget.decideOwing(now, this.#options.processes) : budget.decide(now);
  }

  #budgetOf(id: string, limit: number, now: number): Budget {
    let budget = this.#budgets.get(id);
    if (budget === undefined) {
      budget = new Budget(id, limit);
      this.#budgets.add(id, budget, now);
    }
    budget.limit = limit;
    budget.renew(now);
    return budget;
  }

  #wait(budget: Budget): Promise<RateLimitDecision> {
    return new Promise((resolve) => {
      budget.waiting.push(resolve);
      this.#needy.add(budget);
      if (!this.#isAsking) this.#askSoon();
    });
  }

  // After all input that has arrived was read, so that its requests go into one message.
  #askSoon(): void {
    this.#isAsking = true;
    setImmediate(() => void this.#ask());
  }

  async #ask(): Promise<void> {
    const { source, processes, now } = this.#options;
    const asked = [...this.#needy];
    this.#asked = asked;
    this.#needy.clear();
    const requests = asked.map((budget) => ({ id: budget.id, limit: budget.limit, wanted: budget.wanted(processes) }));
    this.#watch();
    try {
      const answers = await source.lease(requests);
      this.#isLate = false;
      for (const [index, budget] of asked.entries()) {
        const taken = answers[index];
        if (taken) budget.receive(taken, now());
        this.#settle(budget);
        // A source that grants less than it has left is asked again: nobody may wait in vain.
        if (budget.waiting.length > 0) this.#needy.add(budget);
      }
    } catch {
      this.#isLate = false;
      for (const budget of asked) this.#settleAlone(budget);
    }
    this.#asked = [];
    this.#isAsking = false;
    if (this.#needy.size > 0) this.#askSoon();
  }

  #settle(budget: Budget): void {
    const now = this.#options.now();
    let settled = 0;
    for (const resolve of budget.waiting) {
      const decision = this.#decide(budget, now);
      if (decision === undefined) break;
      resolve(decision);
      settled += 1;
    }
    budget.waiting.splice(0, settled);
  }

  #settleAlone(budget: Budget): void {
    const now = this.#options.now();
    for (const resolve of budget.waiting.splice(0)) resolve(budget.decideAlone(now));
  }

  #watch(): void {
    if (this.#lateness) this.#lateness.refresh();
    else this.#lateness = setTimeout(() => this.#onLateness(), patienceMilliseconds).unref();
  }

  #onLateness(): void {
    const asked = this.#asked;
    // An answer may have come while this process was busy: what has arrived is read before it counts as late.
    setImmediate(() => {
      if (asked.length === 0 || this.#asked !== asked) return;
      this.#isLate = true;
      for (const budget of [...asked, ...this.#needy]) this.#settle(budget);
    });
  }
}
