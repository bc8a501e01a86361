import type { Steps } from 'splwright-core';

const waiting: (() => void)[] = [];

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
  // What is called from an immediate runs in the turn after this one.
  if (waiting.length > 1) setImmediate(serveFirst);
  waiting.shift()?.();
}
