import { FairOrder } from './fair-order.ts';
import type { Work } from './work.ts';

/** The work that a call is part of. */
export type Caller = Pick<Work, 'owner' | 'age' | 'assertWanted'>;

interface Waiting {
  age: number;
  work: Caller;
  start: () => void;
  refuse: (reason: unknown) => void;
}

/** Lets a limited number of calls run at a time. The others wait, and owners get the free places in rotation. */
export class FairLimit {
  #free: number;
  readonly #waiting = new FairOrder<Waiting>();

  constructor(maxCalls: number) {
    this.#free = maxCalls;
  }

  /**
   * Runs the call as soon as there is a place for it, and returns or throws what it does.
   *
   * Throws what `Work.assertWanted` throws when nobody waits for the work any more by then.
   */
  async run<T>(work: Caller, call: () => Promise<T>): Promise<T> {
    work.assertWanted();
    if (this.#free > 0) this.#free -= 1;
    else {
      await new Promise<void>((start, refuse) => {
        this.#waiting.add(work.owner, { age: work.age, work, start, refuse });
      });
    }
    try {
      return await call();
    } finally {
      this.#passOn();
    }
  }

  #passOn(): void {
    for (let next = this.#waiting.take(); next; next = this.#waiting.take()) {
      try {
        next.work.assertWanted();
      } catch (reason) {
        next.refuse(reason);
        continue;
      }
      next.start();
      return;
    }
    this.#free += 1;
  }
}
