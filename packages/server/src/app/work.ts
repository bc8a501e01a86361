import { AppError } from '../problems.ts';
import { type Aged, FairOrder } from './fair-order.ts';

/** Whose work it is, and how long it is wanted. */
export interface WorkOptions {
  /** The API key, payer network or link owner whose share of the service is used. */
  owner?: string;
  /** By the monotonic clock in milliseconds. */
  deadline?: number;
  /** Whether it takes only a few steps: an owner's short work does not wait behind its long work. */
  isShort?: boolean;
  /** Whether the client has hung up. */
  isClientGone?: () => boolean;
}

// New requests come first for this time, before the next step of long work: a request needs several turns of the event loop, and would
// otherwise wait for a step of long work in each.
const othersFirstMs = 1;
// A turn that takes less had nothing else to do.
const idleTurnMs = 0.05;
// Short steps of one work share a turn until together they have taken this time.
const maxShortStepsMs = 2;
// The cost of waiting for a step, at least.
const stepOverheadMs = 0.005;

interface Waiting extends Aged {
  work: Work;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

const waiting = new FairOrder<Waiting>();
let workCount = 0;
// Moments of `performance.now`: when others' time began, and the last turn; `undefined` directly after a step.
let othersSince: number | undefined;
let lastTurnAt = 0;

/**
 * The long work that one request causes, done in turns of the event loop between which other requests are served.
 *
 * In one turn one step of all such work is done, of each owner in rotation. Of one owner the oldest work goes first, so that
 * little is under way at a time: what it holds is copied by each collection of garbage, which stops everything.
 */
export class Work {
  readonly owner: string;
  readonly age = workCount++;
  /** By the monotonic clock in milliseconds; a route sets it when it knows the request. */
  deadline: number;
  /** The additional requests that it counts as towards the rate limit of its owner, once it is answered. */
  furtherRequests = 0;
  readonly #lane: string;
  readonly #isClientGone: () => boolean;
  /** What the short steps since the last turn have taken. */
  #shortStepsMs = 0;
  #pause: Promise<void> | undefined;
  #stoppedBy: AppError | undefined;

  constructor({ owner = '', deadline = Number.POSITIVE_INFINITY, isShort = false, isClientGone }: WorkOptions = {}) {
    this.owner = owner;
    this.deadline = deadline;
    this.#lane = isShort ? `${owner} short` : owner;
    this.#isClientGone = isClientGone ?? (() => false);
  }

  /** Ends the work at its next step: `assertWanted` throws `reason` from now on. */
  stop(reason: AppError): void {
    this.#stoppedBy = reason;
  }

  /** Throws an `AppError` when the work was stopped, its client has hung up, or its deadline is over. */
  assertWanted(): void {
    if (this.#stoppedBy) throw this.#stoppedBy;
    if (this.#isClientGone()) throw new AppError('malformed_http', 'The connection ended before the reply was ready.');
    if (performance.now() < this.deadline) return;
    throw new AppError(
      'overloaded',
      'The deadline of this request passed before its turn came: the service is busy. Try again.',
      { retryAfterSeconds: 1 },
    );
  }

  /**
   * Resolves in a later turn of the event loop, in which no other work is done.
   *
   * Rejects with what `assertWanted` throws.
   */
  next(): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.add(this.#lane, { age: this.age, work: this, resolve, reject });
      if (waiting.size === 1) setImmediate(serveNext);
    });
  }

  /**
   * Runs a short step, in this turn of the event loop if the short steps before it have left time, otherwise in a later one.
   *
   * Throws what the step throws, and what `assertWanted` throws.
   */
  async step<Result>(compute: () => Result): Promise<Result> {
    while (this.#shortStepsMs >= maxShortStepsMs) await this.#pauseSteps();
    const startedAt = performance.now();
    try {
      return compute();
    } finally {
      this.#shortStepsMs += performance.now() - startedAt + stepOverheadMs;
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
  serveOldestWanted();
  if (waiting.size > 0) setImmediate(serveNext);
}

function serveOldestWanted(): void {
  for (let next = waiting.take(); next; next = waiting.take()) {
    try {
      next.work.assertWanted();
    } catch (reason) {
      next.reject(reason);
      continue;
    }
    next.resolve();
    return;
  }
}
