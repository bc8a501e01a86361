/** Runs actions in their order, one in each turn of the event loop. */
export class TurnQueue {
  readonly #waiting: (() => void)[] = [];

  /** Adds an action, which runs in a later turn. */
  add(action: () => void): void {
    this.#waiting.push(action);
    if (this.#waiting.length === 1) setImmediate(() => this.#runNext());
  }

  #runNext(): void {
    const next = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#runNext());
    next?.();
  }
}
