/**
 * Shares one run of a check among all callers at the same time, and keeps its answer for `holdMs` afterwards.
 *
 * However often it is called, the check runs at most once in `holdMs`. `now` is the monotonic clock in milliseconds.
 */
export function shareCheck<T>(check: () => Promise<T>, holdMs: number, now: () => number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let holdsUntil = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer && now() < holdsUntil) return answer;
    holdsUntil = Number.POSITIVE_INFINITY;
    answer = check().finally(() => {
      holdsUntil = now() + holdMs;
    });
    return answer;
  };
}
