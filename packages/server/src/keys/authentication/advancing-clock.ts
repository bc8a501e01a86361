/**
 * Makes a clock that follows `now` and never goes back: when `now` is set back, it advances with `elapsed`.
 *
 * An expired key therefore stays expired. `now` is in milliseconds since the Unix epoch, `elapsed` is the monotonic clock in
 * milliseconds.
 */
export function advancingClock(now: () => number, elapsed: () => number): () => number {
  let newest = Number.NEGATIVE_INFINITY;
  let readAt = elapsed();
  return () => {
    const at = elapsed();
    newest = Math.max(now(), newest + (at - readAt));
    readAt = at;
    return newest;
  };
}
