import type { SharedWork, WorkTracer } from './chain-observer.ts';
import type { Deadline } from './chain-reader.ts';
import { tooSlow } from './upstream-faults.ts';

// How much later than its deadline a request may be refused: one timer serves all.
const tickMs = 20;

/** A group of requests that wait. */
interface Waiting {
  refuseOverdue(now: number): void;
}

/** Refuses requests past their deadline, with one timer for all, which runs only while some wait. */
export class DeadlineWatch {
  /** Names the requests that share an answer; absent while nothing is traced. */
  readonly tracer: WorkTracer | undefined;
  readonly #now: () => number;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  /** `now` is the monotonic clock in milliseconds. */
  constructor(now: () => number, tracer?: WorkTracer) {
    this.#now = now;
    this.tracer = tracer;
  }

  /** Whether a deadline has passed. */
  isOver(deadline: Deadline): boolean {
    return this.#now() >= deadline;
  }

  /** Starts watching a group of requests. */
  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  /** Stops watching a group of requests. */
  remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  #tick(): void {
    const now = this.#now();
    for (const waiting of this.#waiting) waiting.refuseOverdue(now);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

interface Waiter<T> {
  deadline: Deadline;
  resolve: (answer: T) => void;
  reject: (error: unknown) => void;
}

/** An answer that several requests wait for, each until its own deadline. */
export class SharedAnswer<T> {
  readonly #watch: DeadlineWatch;
  readonly #work: SharedWork | undefined;
  #waiters: Waiter<T>[] = [];
  #latestDeadline: Deadline = Number.NEGATIVE_INFINITY;

  constructor(watch: DeadlineWatch) {
    this.#watch = watch;
    this.#work = watch.tracer?.share();
    watch.add(this);
  }

  /** The latest deadline of all requests so far. */
  get latestDeadline(): Deadline {
    return this.#latestDeadline;
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Makes the call that gets the answer, on behalf of the requests that wait for it. */
  ask<R>(call: () => R): R {
    return this.#work ? this.#work.run(call) : call();
  }

  /** Resolves with what `take` returns for the answer; throws `upstream_timeout` at the deadline. */
  wait<R>(deadline: Deadline, take: (answer: T) => R | Promise<R>): Promise<R> {
    if (this.#watch.isOver(deadline)) return Promise.reject(tooSlow());
    if (deadline > this.#latestDeadline) this.#latestDeadline = deadline;
    this.#work?.join();
    const taken = this.#watch.tracer?.bind(take) ?? take;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ deadline, resolve: (answer) => resolve(taken(answer)), reject });
    });
  }

  /** Resolves all waiting requests. */
  resolve(answer: T): void {
    for (const waiter of this.#end()) waiter.resolve(answer);
  }

  /** Rejects all waiting requests. */
  reject(error: unknown): void {
    for (const waiter of this.#end()) waiter.reject(error);
  }

  /** Rejects the requests whose deadline has passed. */
  refuseOverdue(now: number): void {
    const isOverdue = ({ deadline }: Waiter<T>): boolean => now >= deadline;
    if (!this.#waiters.some(isOverdue)) return;
    const overdue = this.#waiters.filter(isOverdue);
    this.#waiters = this.#waiters.filter((waiter) => !isOverdue(waiter));
    for (const waiter of overdue) waiter.reject(tooSlow());
  }

  #end(): readonly Waiter<T>[] {
    this.#watch.remove(this);
    return this.#waiters.splice(0);
  }
}
