import type { Steps } from 'splwright-core';

// What else has arrived comes first, for so long, before the next who waits here has a turn: a request needs several turns of the
// event loop, and would otherwise wait for somebody's step in each.
const othersFirstMs = 1;
// A turn that takes less had nothing else to do.
const idleTurnMs = 0.05;

const waiting: (() => void)[] = [];
// Moments of `performance.now`: when others' time began, and the last turn; `undefined` directly after a step.
let othersSince: number | undefined;
let lastTurnAt = 0;

/**
 * Resolves in a later turn of the event loop, in which nothing else that waits here works.
 *
 * Immediates that are due at once would all run in one turn: ten batches would then keep every other request waiting for ten parts.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serveFirst);
  });
}

/** Runs each step of a computation in a later turn of the event loop, between which other requests are served. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function serveFirst(): void {
  const now = performance.now();
  const isOthersTurn =
    othersSince === undefined || (now - lastTurnAt > idleTurnMs && now - othersSince < othersFirstMs);
  othersSince ??= now;
  lastTurnAt = now;
  if (isOthersTurn) {
    setImmediate(serveFirst);
    return;
  }
  othersSince = undefined;
  if (waiting.length > 1) setImmediate(serveFirst);
  waiting.shift()?.();
}
