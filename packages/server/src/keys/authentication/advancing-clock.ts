/**
 * A clock that follows `now` forwards and never goes back: where `now` is set back, it goes on as time passes.
 *
 * So what has expired stays expired. `now` is in milliseconds since the Unix epoch, `elapsed` on a clock that is never set.
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
