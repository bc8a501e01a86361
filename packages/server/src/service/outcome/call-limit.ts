/** Lets a limited number of calls run at a time, the others in their order after them. */
export class CallLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(maxCalls: number) {
    this.#free = maxCalls;
  }

  /** Runs the call as soon as there is room for it, and returns or throws what it does. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
