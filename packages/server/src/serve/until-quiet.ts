import { setImmediate as setImmediatePromise, setTimeout as setTimeoutPromise } from 'node:timers/promises';

const pauseMs = 50;

/** New clients may arrive all the time. */
const maxWaitMs = 1000;

/** Resolves once a count of arrivals has stayed the same for a moment, after a second at the latest. */
export async function untilQuiet(count: () => number | Promise<number>): Promise<void> {
  const giveUpAt = performance.now() + maxWaitMs;
  let before = await count();
  while (performance.now() < giveUpAt) {
    await setTimeoutPromise(pauseMs);
    // In the next turn of the event loop, however late it is, pending connections have been accepted and are counted.
    await setImmediatePromise();
    await setImmediatePromise();
    const after = await count();
    if (after === before) return;
    before = after;
  }
}
