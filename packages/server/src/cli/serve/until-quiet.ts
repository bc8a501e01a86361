import { setImmediate as setImmediatePromise, setTimeout as setTimeoutPromise } from 'node:timers/promises';

const pauseMs = 50;

/** New clients may come all the time: then it is as quiet as it gets. */
const maxWaitMs = 1000;

/** Resolves once a count of arrivals stays the same for a moment, after a second at most. */
export async function untilQuiet(count: () => number | Promise<number>): Promise<void> {
  const giveUpAt = performance.now() + maxWaitMs;
  let before = await count();
  while (performance.now() < giveUpAt) {
    await setTimeoutPromise(pauseMs);
    // A turn of the event loop, however late it is: what has come is accepted and on its way before it is counted.
    await setImmediatePromise();
    await setImmediatePromise();
    const after = await count();
    if (after === before) return;
    before = after;
  }
}
