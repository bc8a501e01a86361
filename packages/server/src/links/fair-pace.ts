import type { Work } from '../app/work.ts';

/** A call that waits for its turn. */
export interface PacedCall {
  /** Those whose turn it takes, such as the owner of a link and the client that reads it. */
  parties: readonly string[];
  /** Of calls whose parties have waited equally long, the highest comes first. */
  precedence: number;
  work: Pick<Work, 'assertWanted'>;
  /** Called when its turn has come, at once where one is free. */
  begin: () => void;
  /** Called instead of `begin` when the call is no longer wanted. */
  giveUp: () => void;
}

// Those beyond only make the order less exact.
const maxRemembered = 10_000;

/**
 * Lets a limited number of calls begin in a second. The others wait for their turns.
 *
 * A turn goes to the call whose parties have all waited longest for one. So neither an owner that many clients ask about nor a client
 * that asks about many owners takes the turns of others.
 */
export class FairPace {
  readonly #perSecond: number;
  readonly #elapsed: () => number;
  readonly #waiting = new Set<PacedCall>();
  /** The number of the last turn of each party, while calls wait. */
  readonly #lastTurns = new Map<string, number>();
  #turn = 0;
  /** How many may begin now, and when that was computed. */
  #free: number;
  #computedAt: number;
  #timer: NodeJS.Timeout | undefined;

  /** `perSecond` calls begin in a second, after a pause as many at once; `elapsed` is a monotonic clock in milliseconds. */
  constructor(perSecond: number, elapsed: () => number) {
    this.#perSecond = perSecond;
    this.#elapsed = elapsed;
    this.#free = perSecond;
    this.#computedAt = elapsed();
  }

  /** Lets a call begin when its turn comes. */
  add(call: PacedCall): void {
    this.#waiting.add(call);
    this.#serve();
  }

  /** Takes a call back that waits. */
  remove(call: PacedCall): void {
    this.#waiting.delete(call);
  }

  #serve(): void {
    const now = this.#elapsed();
    this.#free = Math.min(this.#perSecond, this.#free + ((now - this.#computedAt) / 1_000) * this.#perSecond);
    this.#computedAt = now;
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      this.#free -= 1;
      this.#turn += 1;
      for (const party of next.parties) this.#lastTurns.set(party, this.#turn);
      next.begin();
    }
    if (this.#waiting.size === 0 || this.#lastTurns.size > maxRemembered) this.#lastTurns.clear();
    if (this.#waiting.size === 0) return;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#serve();
      },
      Math.ceil(((1 - this.#free) / this.#perSecond) * 1_000),
    );
  }

  /** The call whose turn it is; `undefined` when none may begin now. Gives up those that are no longer wanted. */
  #next(): PacedCall | undefined {
    if (this.#free < 1) return undefined;
    let next: { call: PacedCall; lastTurn: number } | undefined;
    for (const call of this.#waiting) {
      try {
        call.work.assertWanted();
      } catch {
        this.#waiting.delete(call);
        call.giveUp();
        continue;
      }
      const lastTurn = Math.max(...call.parties.map((party) => this.#lastTurns.get(party) ?? 0));
      const isSooner =
        !next || lastTurn < next.lastTurn || (lastTurn === next.lastTurn && call.precedence > next.call.precedence);
      if (isSooner) next = { call, lastTurn };
    }
    return next?.call;
  }
}
