import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Work } from '../../app/work.ts';
import type { Deadline } from '../../chain/chain-reader.ts';
import { tooSlow } from '../../chain/upstream-faults.ts';
import { AppError } from '../../problems.ts';
import type { FairPace, PacedCall } from '../fair-pace.ts';
import type { StoredPaymentLink } from '../records/payment-link.ts';
import type { ExaminedTransactions } from './ask-node.ts';
import type { LinkChecker } from './link-checker.ts';
import { closedAt } from './link-checker.ts';

export interface LinkWatchOptions {
  checker: Pick<LinkChecker, 'check'>;
  pace: FairPace;
  /** Whether any API key of this owner is still accepted. */
  isOwnerActive: (ownerId: string) => Promise<boolean>;
  /** How long one check may take. */
  checkTimeoutMs: number;
  now: () => number;
  elapsed: () => number;
}

/** Who reads a link, and how old the answer may be. */
export interface Look {
  /** Its owner pays for the check from its share; its deadline ends the wait. */
  work: Work;
  /** Whether the link's owner reads it, not a payer. */
  isOwners: boolean;
  /** Whether the link is known to be one that payers may have checked. */
  isForPayers?: boolean;
  /** By default 1.5 s while a payment is likely, and `idleAgeMs` otherwise. */
  maxAgeMs?: number;
  /** By default 10 s. */
  idleAgeMs?: number;
  /** Whether an older answer must not be returned. */
  isRequired?: boolean;
  /** The slot that the nodes must have reached. */
  minSlot?: bigint;
}

/** Fresh enough for a payer. */
export const payerAgeMs = 1_500;

const defaultIdleAgeMs = 10_000;

// Longer than payers take. Later the link is checked less often, and shows a payment all the same.
const likelyPaidMs = 3 * 60_000;

// A page asks again after two seconds: a check that begins within this time shows a payment early enough.
const maxWaitMs = 1_500;

// By then readers have settled the link, if the nodes have its whole history. Later only reads of its owner check it.
const shownToPayersMs = 3_600_000;

const tooManyChecks = 'Too many payment links are being checked. Try again.';

const maxWatchedLinks = 10_000;

interface RunningCheck {
  /** By the monotonic clock. */
  startedAt: number;
  /** Resolves to the link as it is stored after the check; `undefined` when it is gone. */
  done: Promise<StoredPaymentLink | undefined>;
}

interface Watched {
  examined: ExaminedTransactions;
  /** The highest slot that nodes must have reached for a reader; 0 once a check has served it. */
  minSlot: bigint;
  /** All by the monotonic clock. */
  checkedAt: number;
  failedAt: number;
  running: RunningCheck | undefined;
  /** Called when a check begins, for each reader that waits for one. */
  waiting: Set<(begun: RunningCheck) => void>;
}

/**
 * Keeps links as fresh as their readers need.
 *
 * A link has one check at a time, which serves all its readers. `FairPace` shares the turns between owners and between readers; of one
 * owner, links that are likely being paid and the owner's own reads come first. A link that is not read, or is settled, costs no call,
 * unless a payment with its reference is seen.
 */
export class LinkWatch {
  readonly #options: LinkWatchOptions;
  readonly #watched = new LRUCache<string, Watched>({
    max: maxWatchedLinks,
    memoMethod: () => ({
      examined: new Map(),
      minSlot: 0n,
      checkedAt: Number.NEGATIVE_INFINITY,
      failedAt: Number.NEGATIVE_INFINITY,
      running: undefined,
      waiting: new Set(),
    }),
  });

  constructor(options: LinkWatchOptions) {
    this.#options = options;
  }

  /**
   * Returns a link, after a check if the last one is too old; a settled one is checked only with a `minSlot`. Without a check it is
   * `known`, otherwise as it is stored, with all payments.
   *
   * When no turn to check comes within 1.5 s, the link is returned as it is stored; with `isRequired`, `overloaded` is thrown when no turn
   * comes before the deadline. Reads of payers do not check a link whose owner has no valid key, unless a payment is likely under way, or one
   * that closed an hour ago.
   * Throws the fault of the upstream, and `upstream_timeout` at the deadline.
   */
  async refresh(known: StoredPaymentLink, look: Look): Promise<StoredPaymentLink> {
    const { elapsed } = this.#options;
    const watched = this.#watched.memo(known.link.id);
    const askedAt = elapsed();
    const { minSlot = 0n, work } = look;
    const { deadline } = work;
    if (minSlot > watched.minSlot) watched.minSlot = minSlot;
    const giveUpAt = look.isRequired ? deadline : Math.min(deadline, askedAt + maxWaitMs);
    const maxAgeMs =
      look.maxAgeMs ?? (this.#isPaymentLikely(known) ? payerAgeMs : (look.idleAgeMs ?? defaultIdleAgeMs));
    let current = known;
    let mayAsk = look.isOwners || look.isForPayers === true;
    // A check that began after this call is fresh enough, however long it took.
    while (watched.checkedAt < askedAt && !this.#isFresh(current, watched, { maxAgeMs, minSlot })) {
      const { running } = watched;
      if (running) {
        const isYoung = this.#age(running.startedAt) < maxAgeMs;
        const done = isYoung ? running.done : running.done.catch(() => undefined);
        current = (await this.#waitFor(done, deadline)) ?? current;
      } else if (!look.isRequired && this.#age(watched.failedAt) < maxAgeMs) {
        return current;
      } else if (!mayAsk) {
        mayAsk = await this.#isForPayers(current);
        if (!mayAsk) return current;
      } else {
        const begun = await this.#nextCheck(current, watched, look, giveUpAt - elapsed());
        if (!begun && !look.isRequired) return current;
        if (!begun) throw new AppError('overloaded', tooManyChecks, { retryAfterSeconds: 1 });
        current = (await this.#waitFor(begun.done, deadline)) ?? current;
      }
    }
    return current;
  }

  #age(moment: number): number {
    return this.#options.elapsed() - moment;
  }

  #isPaymentLikely({ link, payments }: StoredPaymentLink): boolean {
    // By the clock of another process it may seem to be in the future.
    const handedOutAt = link.handedOutAt?.getTime() ?? Number.NEGATIVE_INFINITY;
    return (
      this.#options.now() - handedOutAt < likelyPaidMs || payments.some((payment) => payment.commitment === 'confirmed')
    );
  }

  #isFresh(
    { link }: StoredPaymentLink,
    { checkedAt }: Watched,
    { maxAgeMs, minSlot }: { maxAgeMs: number; minSlot: bigint },
  ): boolean {
    // Who names a slot has seen a payment there, which a wallet may have made long after the link was settled.
    if ((link.settledAt !== null && minSlot === 0n) || this.#age(checkedAt) < maxAgeMs) return true;
    // Another process may have checked. By its clock, or by one that was set back, that may seem to be in the future.
    const age = link.checkedAt ? this.#options.now() - link.checkedAt.getTime() : Number.POSITIVE_INFINITY;
    return age >= 0 && age < maxAgeMs;
  }

  async #isForPayers(stored: StoredPaymentLink): Promise<boolean> {
    const { now, isOwnerActive } = this.#options;
    if (now() > closedAt(stored) + shownToPayersMs) return false;
    // Its page says that it will show a payment that is under way.
    return this.#isPaymentLikely(stored) || isOwnerActive(stored.link.ownerId);
  }

  /** Resolves with the next check of a link when it begins, for this reader or another; with `undefined` when no turn comes in time. */
  #nextCheck(
    known: StoredPaymentLink,
    watched: Watched,
    { work, isOwners }: Look,
    maxMs: number,
  ): Promise<RunningCheck | undefined> {
    const { pace, checkTimeoutMs } = this.#options;
    return new Promise((resolve) => {
      const end = (begun?: RunningCheck): void => {
        clearTimeout(timer);
        pace.remove(call);
        watched.waiting.delete(end);
        resolve(begun);
      };
      const call: PacedCall = {
        parties: [known.link.ownerId, work.owner],
        precedence: Number(this.#isPaymentLikely(known)) + Number(isOwners),
        work,
        begin: () => this.#start(known, watched),
        giveUp: end,
      };
      const timer = setTimeout(end, Math.max(0, Math.min(maxMs, checkTimeoutMs)));
      watched.waiting.add(end);
      pace.add(call);
    });
  }

  #start(known: StoredPaymentLink, watched: Watched): void {
    const { checker, elapsed, checkTimeoutMs } = this.#options;
    const startedAt = elapsed();
    const work = new Work({ deadline: startedAt + checkTimeoutMs });
    const { examined, minSlot } = watched;
    const done = checker.check(known.link.id, { examined, minSlot }, work).then(
      (checked) => {
        if (watched.minSlot === minSlot) watched.minSlot = 0n;
        watched.checkedAt = startedAt;
        watched.running = undefined;
        return checked;
      },
      (error: unknown) => {
        watched.failedAt = startedAt;
        watched.running = undefined;
        throw error;
      },
    );
    const begun = { startedAt, done };
    watched.running = begun;
    for (const end of watched.waiting) end(begun);
  }

  async #waitFor<T>(done: Promise<T>, deadline: Deadline): Promise<T> {
    const stop = new AbortController();
    const ms = Math.max(0, Math.min(deadline - this.#options.elapsed(), this.#options.checkTimeoutMs));
    // The check goes on for those who wait for longer.
    const tooLate = sleep(ms, undefined, { signal: stop.signal }).then(
      () => Promise.reject(tooSlow()),
      () => done,
    );
    try {
      return await Promise.race([done, tooLate]);
    } finally {
      stop.abort();
    }
  }
}
