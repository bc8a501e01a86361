import assert from 'node:assert/strict';

/** Longer than anything takes on a slow machine. */
const maxWaitMs = 120_000;

/** Resolves once a condition holds, which is asked again and again. Rejects after two minutes. */
export async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  await readUntil(isTrue, (isIt) => isIt);
}

/** Reads again and again until the answer is as expected, and returns that one. Rejects after two minutes or `maxMs`, with the last answer. */
export async function readUntil<T>(
  read: () => T | Promise<T>,
  isIt: (answer: T) => boolean,
  maxMs = maxWaitMs,
): Promise<T> {
  const giveUpAt = performance.now() + maxMs;
  for (;;) {
    const askedAt = performance.now();
    const answer = await read();
    if (isIt(answer)) return answer;
    // What was asked in time may be answered later.
    assert.ok(askedAt < giveUpAt, `not within ${maxMs} ms: ${JSON.stringify(answer)}`);
    // So that asking does not keep what it waits for from happening.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
