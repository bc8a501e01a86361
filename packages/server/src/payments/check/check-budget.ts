/** So many checks a second for all links together, and as many at once after a pause. */
export class CheckBudget {
  readonly #perSecond: number;
  readonly #elapsed: () => number;
  /** Below zero while reserved checks wait for their turn. */
  #left: number;
  #countedAt: number;

  /** `elapsed` is the monotonic clock in milliseconds. */
  constructor(perSecond: number, elapsed: () => number) {
    this.#perSecond = perSecond;
    this.#elapsed = elapsed;
    this.#left = perSecond;
    this.#countedAt = elapsed();
  }

  /** Takes a check when there is one left now. */
  take(): boolean {
    this.#refill();
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Takes the next check that is free within so many milliseconds, and returns how long to wait for it; otherwise undefined. */
  reserve(maxWaitMs: number): number | undefined {
    const waitMs = this.waitMs;
    if (waitMs > maxWaitMs) return undefined;
    this.#left -= 1;
    return waitMs;
  }

  /** How long to wait for the next check, in milliseconds. */
  get waitMs(): number {
    this.#refill();
    return Math.max(0, Math.ceil(((1 - this.#left) / this.#perSecond) * 1_000));
  }

  #refill(): void {
    const now = this.#elapsed();
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#countedAt) / 1_000) * this.#perSecond);
    this.#countedAt = now;
  }
}
