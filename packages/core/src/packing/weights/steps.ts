/**
 * A long computation in steps, between which its caller may do something else.
 *
 * It yields nothing and returns its result. What it was given must not change before its end.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs all steps of a computation one after another, and returns its result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** How much work a step has, in units: one is what it takes to read a transfer that was never seen, a few microseconds. */
export const unitsPerStep = 100;

/** Counts the work of a computation, so that its steps end by what was done and not by a clock. */
export class Pace {
  #units = 0;
  #unitsBefore = 0;

  /** All work that was counted so far. */
  get units(): number {
    return this.#unitsBefore + this.#units;
  }

  /** Counts work that was done, and returns whether the step should end here. A new step begins then. */
  isStepOver(units: number): boolean {
    this.#units += units;
    if (this.#units < unitsPerStep) return false;
    this.#unitsBefore += this.#units;
    this.#units = 0;
    return true;
  }
}
