const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const delaysMs: readonly number[] = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour];
const lastDelayMs = 6 * hour;

/** How long an event is tried for one endpoint, and how long an endpoint may fail before it is disabled. */
export const gaveUpAfterMs = 3 * 24 * hour;

/**
 * Returns when an event is due again after an attempt at `at` that failed; `undefined` when it is given up.
 *
 * `attempts`: how many there were, this one included. Times are milliseconds since the Unix epoch.
 */
export function dueAfter(attempts: number, firstDueAt: number, at: number): number | undefined {
  const due = at + (delaysMs[attempts - 1] ?? lastDelayMs);
  return due - firstDueAt > gaveUpAfterMs ? undefined : due;
}
