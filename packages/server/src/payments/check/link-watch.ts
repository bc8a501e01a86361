import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Deadline } from '../../chain/chain-reader.ts';
import { tooSlow } from '../../chain/upstream-faults.ts';
import { AppError } from '../../errors.ts';
import type { PaymentLinkStore, StoredPaymentLink } from '../../keys/store/payment-links/payment-link-store.ts';
import type { CheckBudget } from './check-budget.ts';
import { ExaminedTransactions } from './examined.ts';
import type { LinkChecker } from './link-checker.ts';

/** What links are watched with. */
export interface LinkWatchOptions {
  checker: Pick<LinkChecker, 'check'>;
  store: Pick<PaymentLinkStore, 'find'>;
  budget: CheckBudget;
  /** How long one check may take. */
  checkTimeoutMs: number;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** The monotonic clock in milliseconds. */
  elapsed: () => number;
}

/** How old what is known of a link may be. */
export interface FreshnessNeed {
  /** By default 1.5 s while a payment is likely, and 10 s otherwise. */
  maxAgeMs?: number;
  /** Whether what is older must not be returned. */
  isRequired?: boolean;
}

/** Fresh enough for a payer. */
export const payerAgeMs = 1_500;

const idleAgeMs = 10_000;

// A transaction lives for a minute or so, and a wallet may put in a newer blockhash.
const likelyPaidMs = 3 * 60_000;

const maxWatchedLinks = 10_000;

interface Watched {
  examined: ExaminedTransactions;
  /** All by the monotonic clock. */
  handedOutAt: number;
  checkedAt: number;
  failedAt: number;
  running: { startedAt: number; done: Promise<void> } | undefined;
}

/**
 * Keeps what is known of links as fresh as those who look at them need.
 *
 * One check of a link at a time, which serves all who look at it; all links together have a budget. A link that nobody looks
 * at, and one that is settled, costs no call.
 */
export class LinkWatch {
  readonly #options: LinkWatchOptions;
  readonly #watched = new LRUCache<string, Watched>({ max: maxWatchedLinks });

  constructor(options: LinkWatchOptions) {
    this.#options = options;
  }

  /** Notes that a payer was given a transaction. */
  noteHandedOut(id: string): void {
    this.#of(id).handedOutAt = this.#options.elapsed();
  }

  /**
   * Returns what is known of a link, after a check when that is too old.
   *
   * When the budget is exhausted, what is known is returned; if it is required, `overloaded` is thrown unless there is a check
   * before the deadline. Throws the fault of the upstream, and `upstream_timeout` at the deadline.
   */
  async refresh(known: StoredPaymentLink, need: FreshnessNeed, deadline: Deadline): Promise<StoredPaymentLink> {
    const { id } = known.link;
    const watched = this.#of(id);
    const askedAt = this.#options.elapsed();
    const maxAgeMs = need.maxAgeMs ?? (this.#isPaymentLikely(known, watched) ? payerAgeMs : idleAgeMs);
    let current = known;
    // However long a check takes, one that began later than the question is fresh enough.
    while (watched.checkedAt < askedAt && !this.#isFresh(current, watched, maxAgeMs)) {
      const { running } = watched;
      if (running) {
        const isYoung = this.#age(running.startedAt) < maxAgeMs;
        await this.#waitFor(isYoung ? running.done : running.done.catch(() => undefined), deadline);
      } else {
        if (!need.isRequired && this.#age(watched.failedAt) < maxAgeMs) return current;
        if (!(await this.#getTurn(need.isRequired ?? false, deadline))) return current;
        await this.#waitFor(watched.running?.done ?? this.#start(current, watched), deadline);
      }
      const found = await this.#options.store.find(id);
      if (!found) return current;
      current = found;
    }
    return current;
  }

  #of(id: string): Watched {
    const known = this.#watched.get(id);
    if (known) return known;
    const never = Number.NEGATIVE_INFINITY;
    const examined = new ExaminedTransactions();
    const watched = { examined, handedOutAt: never, checkedAt: never, failedAt: never, running: undefined };
    this.#watched.set(id, watched);
    return watched;
  }

  #age(moment: number): number {
    return this.#options.elapsed() - moment;
  }

  #isPaymentLikely({ payments }: StoredPaymentLink, { handedOutAt }: Watched): boolean {
    return this.#age(handedOutAt) < likelyPaidMs || payments.some(({ commitment }) => commitment === 'confirmed');
  }

  #isFresh({ link }: StoredPaymentLink, { checkedAt }: Watched, maxAgeMs: number): boolean {
    if (link.settledAt !== null || this.#age(checkedAt) < maxAgeMs) return true;
    // Another process may have asked. By its clock, or by one that was set back, that may seem to be still to come.
    const age = link.checkedAt ? this.#options.now() - link.checkedAt.getTime() : Number.POSITIVE_INFINITY;
    return age >= 0 && age < maxAgeMs;
  }

  async #getTurn(isRequired: boolean, deadline: Deadline): Promise<boolean> {
    const { budget, elapsed } = this.#options;
    if (!isRequired) return budget.take();
    const waitMs = budget.reserve(deadline - elapsed());
    if (waitMs === undefined) throw tooManyChecks(budget.waitMs);
    if (waitMs > 0) await sleep(waitMs);
    return true;
  }

  #start(known: StoredPaymentLink, watched: Watched): Promise<void> {
    const { checker, elapsed, checkTimeoutMs } = this.#options;
    const startedAt = elapsed();
    const done = checker.check(known, watched.examined, startedAt + checkTimeoutMs).then(
      () => {
        watched.checkedAt = startedAt;
        watched.running = undefined;
      },
      (error: unknown) => {
        watched.failedAt = startedAt;
        watched.running = undefined;
        throw error;
      },
    );
    watched.running = { startedAt, done };
    return done;
  }

  async #waitFor(done: Promise<unknown>, deadline: Deadline): Promise<void> {
    const stop = new AbortController();
    const ms = Math.max(0, Math.min(deadline - this.#options.elapsed(), this.#options.checkTimeoutMs));
    // The check goes on for those who wait for longer.
    const tooLate = sleep(ms, undefined, { signal: stop.signal }).then(
      () => Promise.reject(tooSlow()),
      () => undefined,
    );
    try {
      await Promise.race([done, tooLate]);
    } finally {
      stop.abort();
    }
  }
}

function tooManyChecks(waitMs: number): AppError {
  return new AppError('overloaded', 'Too many payment links are looked at now. Try again.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}
