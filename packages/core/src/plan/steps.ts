/** Long work, done step by step: most take microseconds, a few of them milliseconds. Its inputs must not change before its end. */
export type Steps<Result> = Generator<void, Result>;

/** Takes all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
