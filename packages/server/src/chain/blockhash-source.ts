import { isAppError } from '../problems.ts';
import type { Deadline, FreshBlockhash } from './chain-reader.ts';
import { byDeadline } from './shared-calls.ts';
import { malformed, tooSlow, unavailable } from './upstream-faults.ts';

/** A blockhash as an upstream gives it. */
export type ReceivedBlockhash = Omit<FreshBlockhash, 'askedAt'>;

/** Where blockhashes come from, and how old they may be. */
export interface BlockhashSourceOptions {
  /** Asks the upstreams for the latest blockhash. An answer at which `check` throws does not count. */
  call: (deadline: Deadline, check: (blockhash: ReceivedBlockhash) => void) => Promise<ReceivedBlockhash>;
  /** With 0 none is kept, and one counts however long the upstream takes. */
  maxAgeMs: number;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// From this part of its greatest age on, a new blockhash is requested while this one is still used: the rest of the time is for
// the upstream to answer, or for another one to be asked.
const renewalFraction = 3 / 4;

// As long as a request may wait at most (`REQUEST_DEADLINE_MS`).
const anyAgeMs = 120_000;

// A restarted local ledger begins at a lower height, so the known height expires after this time without progress.
const heightMemoryMs = 10_000;

/**
 * The newest blockhash, shared by all requests and read only when one of them needs it.
 *
 * Its age counts from the call that read it, since the upstream chose it at an unknown moment after that.
 */
export class BlockhashSource {
  readonly #options: BlockhashSourceOptions;
  #current: FreshBlockhash | undefined;
  #pending: Promise<FreshBlockhash> | undefined;

  constructor(options: BlockhashSourceOptions) {
    this.#options = options;
  }

  /**
   * Returns a blockhash that is not too old, at once when there is one. Throws what the upstream call throws, after a second one where
   * the first took too long.
   */
  read(deadline: Deadline): FreshBlockhash | Promise<FreshBlockhash> {
    const { maxAgeMs, now } = this.#options;
    const current = this.#current;
    const age = current ? now() - current.askedAt : Number.POSITIVE_INFINITY;
    if (current && age <= maxAgeMs * renewalFraction) return current;
    const pending = this.#renew();
    if (current && age <= maxAgeMs) {
      // The next request that needs a new one gets its fault.
      pending.catch(() => undefined);
      return current;
    }
    // A call is given up long before the requests that wait for it.
    const renewed = pending.catch((fault: unknown) => {
      if (now() < deadline && isAppError(fault, 'upstream_timeout')) return this.#renew();
      throw fault;
    });
    return byDeadline(renewed, deadline, now);
  }

  /** The call under way, otherwise a new one. */
  #renew(): Promise<FreshBlockhash> {
    this.#pending ??= this.#ask().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #ask(): Promise<FreshBlockhash> {
    const { maxAgeMs, now, call } = this.#options;
    const askedAt = now();
    // Later than that it would be too old.
    const deadline = askedAt + (maxAgeMs === 0 ? anyAgeMs : maxAgeMs);
    const received = await call(deadline, (blockhash) => this.#assertFollows(blockhash, askedAt));
    if (now() > deadline) throw tooSlow();
    this.#current = { ...received, askedAt };
    return this.#current;
  }

  // Of two answers that contradict each other either may be wrong: neither is kept, and the next one is accepted.
  #assertFollows({ slot, lastValidBlockHeight }: ReceivedBlockhash, askedAt: number): void {
    const current = this.#current;
    if (!current) return;
    const slots = slot - current.slot;
    const blocks = lastValidBlockHeight - current.lastValidBlockHeight;
    // A restarted ledger begins at an earlier slot. In later ones there are never more blocks than slots: by a height that is too high,
    // what was handed out before would be taken for dead.
    const mayBeRestarted = askedAt - current.askedAt >= heightMemoryMs;
    if (mayBeRestarted && (slots < 0n || blocks <= slots)) return;
    if (!isPossibleGrowth(slots, blocks)) {
      this.#current = undefined;
      throw malformed(`its block height is ${blocks} from the last one, and its slot ${slots}`);
    }
    if (blocks < 0n) throw unavailable('lagging', 'its blockhash is older than one that was handed out before');
  }
}

/** Returns whether this number of blocks can have been added in this number of slots: a slot has at most one. Both may be negative. */
function isPossibleGrowth(slots: bigint, blocks: bigint): boolean {
  return slots < 0n ? slots <= blocks && blocks <= 0n : 0n <= blocks && blocks <= slots;
}
