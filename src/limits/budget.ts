import { type RateLimitDecision, windowMilliseconds } from './rate-limiter.ts';
import type { Taken } from './window-counter.ts';

/** What this process knows of the budget of one key in its present window. */
export class Budget {
  readonly id: string;
  limit: number;
  /** Requests that wait for a decision, the first to come first. */
  waiting: ((decision: RateLimitDecision) => void)[] = [];
  #endsAt = 0;
  /** Requests passed by this process. */
  #used = 0;
  /** Requests granted to this process and not used; below 0: used before they were granted. */
  #granted = 0;
  /** What the others may still be granted, by the last answer of the source. */
  #elsewhere = 0;

  constructor(id: string, limit: number) {
    this.id = id;
    this.limit = limit;
  }

  /** Begins a new window if the last has ended. Until the source says when it ends, it lasts its whole length. */
  renew(now: number): void {
    if (now < this.#endsAt) return;
    this.#endsAt = now + windowMilliseconds;
    this.#used = 0;
    this.#granted = 0;
    this.#elsewhere = this.limit;
  }

  /** Whether the window has ended and nobody waits. */
  isIdle(now: number): boolean {
    return now >= this.#endsAt && this.waiting.length === 0;
  }

  /** How many requests to ask for: for those that wait, those passed before they were granted, and a block ahead. */
  wanted(processes: number): number {
    const block = Math.floor(Math.min(this.limit, this.#elsewhere) / (100 * processes));
    return Math.min(this.limit, Math.max(1, this.waiting.length, block) - this.#granted);
  }

  /** Notes what the source answered. */
  receive(taken: Taken, now: number): void {
    this.renew(now);
    this.#endsAt = now + taken.millisecondsLeft;
    this.#granted += taken.granted;
    this.#elsewhere = taken.remaining;
  }

  /**
   * Decides one request by what is known here; `undefined` when the source must be asked.
   *
   * Whatever the source grants, one process never passes more than the limit.
   */
  decide(now: number): RateLimitDecision | undefined {
    if (this.#used >= this.limit || (this.#granted <= 0 && this.#elsewhere === 0)) return this.#refuse(now);
    return this.#granted > 0 ? this.#pass(now, 1) : undefined;
  }

  /**
   * Decides one request while the source is late; `undefined` when that would be too bold.
   *
   * It may pass before it is granted, as long as all processes doing the same take a quarter of what is left: what they
   * last heard of it may be old by now.
   */
  decideOwing(now: number, processes: number): RateLimitDecision | undefined {
    const decision = this.decide(now);
    if (decision !== undefined || -this.#granted >= Math.floor(this.#elsewhere / (4 * processes))) return decision;
    return this.#pass(now, 1);
  }

  /** Decides one request without the source, which will not learn of it. */
  decideAlone(now: number): RateLimitDecision {
    return this.decide(now) ?? this.#pass(now, 0);
  }

  #pass(now: number, granted: number): RateLimitDecision {
    this.#used += 1;
    this.#granted -= granted;
    const left = Math.max(0, this.#granted) + this.#elsewhere;
    return this.#decision(true, Math.min(left, this.limit - this.#used), now);
  }

  #refuse(now: number): RateLimitDecision {
    return this.#decision(false, 0, now);
  }

  #decision(isAllowed: boolean, remaining: number, now: number): RateLimitDecision {
    return { isAllowed, limit: this.limit, remaining, millisecondsLeft: Math.max(1, this.#endsAt - now) };
  }
}
