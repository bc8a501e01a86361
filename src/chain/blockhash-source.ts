import type { Deadline, FreshBlockhash } from './chain-reader.ts';
import { type DeadlineWatch, SharedAnswer } from './shared-answer.ts';
import { tooSlow, unavailable } from './upstream-faults.ts';

/** A blockhash as the upstream gives it. */
export type ReceivedBlockhash = Omit<FreshBlockhash, 'askedAt'>;

/** What a source of blockhashes stands on. */
export interface BlockhashSourceOptions {
  /** Asks the upstream for its latest blockhash. */
  call: () => Promise<ReceivedBlockhash>;
  watch: DeadlineWatch;
  maximumAgeMilliseconds: number;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// From this part of its age on, a blockhash is replaced while it is still handed out: the rest is time for the upstream to
// answer, or for another one to be asked.
const renewedFrom = 3 / 4;

// Below this the age cannot be held to: to ask and to be answered takes as long.
const shortestAgeMilliseconds = 250;

// A ledger that is started anew begins at a lower height: after this long without progress the old one is forgotten.
const heightMemoryMilliseconds = 10_000;

/**
 * The newest blockhash, shared by all requests and asked for only when one of them needs it.
 *
 * Its age counts from when it was asked for, since the upstream chose it at some unknown moment after that.
 */
export class BlockhashSource {
  readonly #options: BlockhashSourceOptions;
  #current: FreshBlockhash | undefined;
  #pending: SharedAnswer<FreshBlockhash> | undefined;

  constructor(options: BlockhashSourceOptions) {
    this.#options = options;
  }

  /** Returns a blockhash within its age, at once when there is one. Throws what the upstream call throws. */
  read(deadline: Deadline): FreshBlockhash | Promise<FreshBlockhash> {
    const { maximumAgeMilliseconds } = this.#options;
    const current = this.#current;
    const age = current ? this.#options.now() - current.askedAt : Number.POSITIVE_INFINITY;
    if (current && age <= maximumAgeMilliseconds * renewedFrom) return current;
    const pending = this.#pending ?? this.#ask();
    return current && age <= maximumAgeMilliseconds ? current : pending.wait(deadline, (blockhash) => blockhash);
  }

  #ask(): SharedAnswer<FreshBlockhash> {
    const pending = new SharedAnswer<FreshBlockhash>(this.#options.watch);
    this.#pending = pending;
    void this.#receive(pending);
    return pending;
  }

  async #receive(pending: SharedAnswer<FreshBlockhash>): Promise<void> {
    const askedAt = this.#options.now();
    try {
      const received = await this.#options.call();
      this.#pending = undefined;
      pending.resolve(this.#accept({ ...received, askedAt }));
    } catch (error) {
      this.#pending = undefined;
      pending.reject(error);
    }
  }

  #accept(blockhash: FreshBlockhash): FreshBlockhash {
    const age = this.#options.now() - blockhash.askedAt;
    if (age > Math.max(this.#options.maximumAgeMilliseconds, shortestAgeMilliseconds)) throw tooSlow();
    const current = this.#current;
    const isBehind = current !== undefined && blockhash.lastValidBlockHeight < current.lastValidBlockHeight;
    if (isBehind && blockhash.askedAt - current.askedAt < heightMemoryMilliseconds) {
      throw unavailable('its blockhash is older than one that was handed out before');
    }
    this.#current = blockhash;
    return blockhash;
  }
}
