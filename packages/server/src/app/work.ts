import { setImmediate } from 'node:timers/promises';
import type { Steps } from 'splwright-core';
import { AppError } from '../problems.ts';

/** Whose work it is, and how long it is wanted. */
export interface WorkOptions {
  /** The API key, payer network or link owner whose share of the service is used. */
  owner?: string;
  /** By the monotonic clock in milliseconds. */
  deadline?: number;
  /** Whether the client has hung up. */
  isClientGone?: () => boolean;
}

// The steps of one work share a turn until together they have taken this time.
const maxTurnMs = 2;
// The cost of waiting for a step, at least.
const stepOverheadMs = 0.005;

let lastTurn: Promise<void> = Promise.resolve();

/**
 * The long work that one request causes, done in turns of the event loop between which other requests are served.
 *
 * One turn has one step of all such work, in the order in which the steps were asked for.
 */
export class Work {
  readonly owner: string;
  /** By the monotonic clock in milliseconds; a route sets it when it knows the request. */
  deadline: number;
  /** How long its request has waited for a place. */
  waitedMs = 0;
  /** The additional requests that it counts as towards the rate limit of its owner, once it is answered. */
  furtherRequests = 0;
  readonly #isClientGone: () => boolean;
  /** The time of the short steps since the last turn. */
  #shortStepsMs = 0;
  #pause: Promise<void> | undefined;

  constructor({ owner = '', deadline = Number.POSITIVE_INFINITY, isClientGone = () => false }: WorkOptions = {}) {
    this.owner = owner;
    this.deadline = deadline;
    this.#isClientGone = isClientGone;
  }

  /** Throws an `AppError` when its client has hung up, or its deadline is over. */
  assertWanted(): void {
    if (this.#isClientGone()) throw new AppError('malformed_http', 'The connection ended before the reply was ready.');
    if (performance.now() < this.deadline) return;
    throw new AppError(
      'overloaded',
      'The deadline of this request passed before its turn came: the service is busy. Try again.',
      { retryAfterSeconds: 1 },
    );
  }

  /** Resolves in a later turn of the event loop, in which no other work is done. Rejects with what `assertWanted` throws. */
  async next(): Promise<void> {
    lastTurn = lastTurn.then(() => setImmediate());
    await lastTurn;
    this.assertWanted();
  }

  /**
   * Runs a short step, in this turn of the event loop if the short steps before it have left time, otherwise in a later one.
   *
   * Throws what the step throws, and what `assertWanted` throws.
   */
  async step<Result>(compute: () => Result): Promise<Result> {
    while (this.#shortStepsMs >= maxTurnMs) await this.#pauseSteps();
    const startedAt = performance.now();
    try {
      return compute();
    } finally {
      this.#shortStepsMs += performance.now() - startedAt + stepOverheadMs;
    }
  }

  /**
   * Takes all steps of a longer work, beginning in this turn of the event loop.
   *
   * Throws what a step throws, and what `assertWanted` throws.
   */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const startedAt = performance.now();
      do {
        const step = steps.next();
        if (step.done) return step.value;
      } while (performance.now() - startedAt < maxTurnMs);
      await this.next();
    }
  }

  /** All steps that wait go on in the same turn. */
  #pauseSteps(): Promise<void> {
    this.#pause ??= this.next().finally(() => {
      this.#shortStepsMs = 0;
      this.#pause = undefined;
    });
    return this.#pause;
  }
}
