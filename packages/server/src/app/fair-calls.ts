import { type Aged, FairOrder } from './fair-order.ts';
import type { Work } from './work.ts';

/** A call that waits for its turn. Of one owner or client the lowest `age` comes first. */
export interface PacedCall extends Aged {
  /** The owner of the link or account that the call is about. */
  owner: string;
  /** The work that wants the call; `work.owner` is the client. */
  work: Work;
  /** Called when its turn has come, at once where one is free. */
  begin: () => void;
  /** Called instead of `begin` when the call is no longer wanted, or when too many wait. */
  giveUp: () => void;
}

/** How often calls may begin. */
export interface FairPaceOptions {
  /** How many calls begin in a second; after a pause this many begin at once. */
  perSecond: number;
  /** When more wait, the last call of the owner or client with the most is given up. */
  maxWaiting: number;
  /** The monotonic clock in milliseconds. */
  elapsed: () => number;
}

/**
 * Lets a limited number of calls begin in a second. The others wait for their turns.
 *
 * Every second turn goes to owners in rotation, the others to clients in rotation. So neither an owner that many clients ask about nor a
 * client that asks about many owners takes the turns of others. No turn stays unused while a call waits.
 */
export class FairPace {
  readonly #options: FairPaceOptions;
  readonly #byOwner = new FairOrder<PacedCall>();
  readonly #byClient = new FairOrder<PacedCall>();
  #isTurnOfOwners = false;
  /** How many may begin now, and when that was computed. */
  #free: number;
  #computedAt: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FairPaceOptions) {
    this.#options = options;
    this.#free = options.perSecond;
    this.#computedAt = options.elapsed();
  }

  /** Lets a call begin when its turn comes. */
  add(call: PacedCall): void {
    this.#byOwner.add(call.owner, call);
    this.#byClient.add(call.work.owner, call);
    this.#serve();
    if (this.#byOwner.size > this.#options.maxWaiting) this.#dropOne();
  }

  /** Takes a call back that waits. */
  remove(call: PacedCall): void {
    this.#byOwner.remove(call.owner, call);
    this.#byClient.remove(call.work.owner, call);
  }

  #serve(): void {
    this.#refill();
    while (this.#free >= 1) {
      const next = this.#take();
      if (!next) return;
      try {
        next.work.assertWanted();
      } catch {
        next.giveUp();
        continue;
      }
      this.#free -= 1;
      next.begin();
    }
    if (this.#byOwner.size === 0) return;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#serve();
      },
      Math.ceil(((1 - this.#free) / this.#options.perSecond) * 1_000),
    );
  }

  #refill(): void {
    const { perSecond, elapsed } = this.#options;
    const now = elapsed();
    this.#free = Math.min(perSecond, this.#free + ((now - this.#computedAt) / 1_000) * perSecond);
    this.#computedAt = now;
  }

  #take(): PacedCall | undefined {
    this.#isTurnOfOwners = !this.#isTurnOfOwners;
    const next = (this.#isTurnOfOwners ? this.#byOwner : this.#byClient).take();
    if (next) this.remove(next);
    return next;
  }

  #dropOne(): void {
    const [ofOwner, ofClient] = [this.#byOwner.longest, this.#byClient.longest];
    const dropped = (ofOwner.length >= ofClient.length ? ofOwner : ofClient).at(-1);
    if (!dropped) return;
    this.remove(dropped);
    dropped.giveUp();
  }
}
