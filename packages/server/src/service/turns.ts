import type { Steps } from 'splwright-core';

// What else has arrived comes first, for so long, before the next step of what waits here: a request needs several turns of the
// event loop, and would otherwise wait for somebody's step in each.
const othersFirstMs = 1;
// A turn that takes less had nothing else to do.
const idleTurnMs = 0.05;

interface Waiting {
  age: number;
  isShort: boolean;
  resolve: () => void;
}

// That of the oldest work first.
const waiting: Waiting[] = [];
let workCount = 0;
let isTurnOfShortWork = false;
// Moments of `performance.now`: when others' time began, and the last turn; `undefined` directly after a step.
let othersSince: number | undefined;
let lastTurnAt = 0;

/**
 * The turns of the event loop in which the long work of one request is done, between which other requests are served.
 *
 * Of all such work one step is done in a turn: immediates that are due at once would all run in one, and ten batches would keep
 * every other request waiting for ten steps. The oldest goes first, so that few are under way at a time: what they hold is
 * copied by each collection of garbage, which stops everything. Every second turn is that of the oldest short work.
 */
export class Turns {
  readonly #age = workCount++;
  readonly #isShort: boolean;

  /** `isShort`: whether the work takes but a few steps. */
  constructor({ isShort = false } = {}) {
    this.#isShort = isShort;
  }

  /** Resolves in a later turn of the event loop, in which no other work that takes turns is done. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      add({ age: this.#age, isShort: this.#isShort, resolve });
      if (waiting.length === 1) setImmediate(serveNext);
    });
  }

  /** Runs each step of a computation in a turn of its own. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      await this.next();
      const step = steps.next();
      if (step.done) return step.value;
    }
  }
}

// Behind all that is as old: several reads of one request wait at once.
function add(added: Waiting): void {
  waiting.splice(waiting.findLastIndex(({ age }) => age <= added.age) + 1, 0, added);
}

function takeNext(): Waiting | undefined {
  isTurnOfShortWork = !isTurnOfShortWork;
  const short = isTurnOfShortWork ? waiting.findIndex(({ isShort }) => isShort) : 0;
  return waiting.splice(Math.max(0, short), 1)[0];
}

function serveNext(): void {
  const now = performance.now();
  const isOthersTurn =
    othersSince === undefined || (now - lastTurnAt > idleTurnMs && now - othersSince < othersFirstMs);
  othersSince ??= now;
  lastTurnAt = now;
  if (isOthersTurn) {
    setImmediate(serveNext);
    return;
  }
  othersSince = undefined;
  if (waiting.length > 1) setImmediate(serveNext);
  takeNext()?.resolve();
}
