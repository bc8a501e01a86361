import type { Deadline, FreshBlockhash } from './chain-reader.ts';
import { type DeadlineWatch, SharedAnswer } from './shared-answer.ts';
import { tooSlow, unavailable } from './upstream-faults.ts';

/** A blockhash as the upstream gives it. */
export type ReceivedBlockhash = Omit<FreshBlockhash, 'askedAt'>;

/** What a source of blockhashes stands on. */
export interface BlockhashSourceOptions {
  /** Asks the upstreams for the latest blockhash. An answer at which `check` throws does not count. */
  call: (deadline: Deadline, check: (blockhash: ReceivedBlockhash) => void) => Promise<ReceivedBlockhash>;
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
    // Later than that it would be too old.
    const deadline = askedAt + Math.max(this.#options.maximumAgeMilliseconds, shortestAgeMilliseconds);
    try {
      const received = await this.#options.call(deadline, (blockhash) => this.#assertNotBehind(blockhash, askedAt));
      this.#pending = undefined;
      if (this.#options.now() > deadline) throw tooSlow();
      this.#current = { ...received, askedAt };
      pending.resolve(this.#current);
    } catch (error) {
      this.#pending = undefined;
      pending.reject(error);
    }
  }

  #assertNotBehind({ lastValidBlockHeight }: ReceivedBlockhash, askedAt: number): void {
    const current = this.#current;
    if (!current || lastValidBlockHeight >= current.lastValidBlockHeight) return;
    if (askedAt - current.askedAt >= heightMemoryMilliseconds) return;
    throw unavailable('lagging', 'its blockhash is older than one that was handed out before');
  }
}
