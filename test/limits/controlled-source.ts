import type { LeaseRequest, LeaseSource } from '../../src/limits/lease-source.ts';
import { type Taken, WindowCounter } from '../../src/limits/window-counter.ts';

/** Budgets that several limiters of a test share, under the control of the test. */
export class ControlledSource implements LeaseSource {
  isReachable = true;
  /** Whether answers are kept back until `release`. */
  isHolding = false;
  /** Every question so far, in the order of arrival. */
  readonly questions: (readonly LeaseRequest[])[] = [];
  #counter: WindowCounter;
  readonly #now: () => number;
  #held: { release: () => void; fail: () => void }[] = [];
  #onQuestion = Promise.withResolvers<void>();

  constructor(now: () => number) {
    this.#now = now;
    this.#counter = new WindowCounter(now);
  }

  lease(requests: readonly LeaseRequest[]): Promise<readonly Taken[]> {
    this.questions.push(requests);
    this.#onQuestion.resolve();
    const answer = (): Taken[] => requests.map(({ id, limit, wanted }) => this.#counter.take(id, limit, wanted));
    if (!this.isHolding) return Promise.resolve(answer());
    return new Promise((resolve, reject) => {
      this.#held.push({ release: () => resolve(answer()), fail: () => reject(new Error('lost')) });
    });
  }

  /** Resolves when the next question has come. */
  async nextQuestion(): Promise<void> {
    this.#onQuestion = Promise.withResolvers();
    await this.#onQuestion.promise;
  }

  /** Answers what was kept back, and from now on at once. */
  release(): void {
    this.isHolding = false;
    for (const { release } of this.#held.splice(0)) release();
  }

  /** Is lost with all that it holds: what was asked fails. */
  lose(): void {
    this.isHolding = false;
    this.isReachable = false;
    this.#counter = new WindowCounter(this.#now);
    for (const { fail } of this.#held.splice(0)) fail();
  }
}
