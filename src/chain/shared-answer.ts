import type { Deadline } from './chain-reader.ts';
import { tooSlow } from './upstream-faults.ts';

// In milliseconds: how late a request may learn that its time is over. One timer serves all that wait.
const tickMilliseconds = 20;

/** Requests that wait, some of which may be overdue. */
interface Waiting {
  refuseOverdue(now: number): void;
}

/** Refuses the requests whose time is over, all of them with one timer, which runs only while some wait. */
export class DeadlineWatch {
  readonly #now: () => number;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  /** `now` is the monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether this moment has come. */
  isOver(deadline: Deadline): boolean {
    return this.#now() >= deadline;
  }

  /** Begins to watch over those who wait. */
  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => this.#tick(), tickMilliseconds);
  }

  /** Ends the watch over those who wait no more. */
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

/** An answer that several requests wait for, each no longer than its own deadline and without harm to the others. */
export class SharedAnswer<T> {
  readonly #watch: DeadlineWatch;
  #waiters: Waiter<T>[] = [];
  #latestDeadline: Deadline = Number.NEGATIVE_INFINITY;

  constructor(watch: DeadlineWatch) {
    this.#watch = watch;
    watch.add(this);
  }

  /** When the last of those who ever waited must have the answer. */
  get latestDeadline(): Deadline {
    return this.#latestDeadline;
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Resolves with what `take` takes of the answer; throws `upstream_timeout` once the deadline is over. */
  wait<R>(deadline: Deadline, take: (answer: T) => R | Promise<R>): Promise<R> {
    if (this.#watch.isOver(deadline)) return Promise.reject(tooSlow());
    if (deadline > this.#latestDeadline) this.#latestDeadline = deadline;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ deadline, resolve: (answer) => resolve(take(answer)), reject });
    });
  }

  /** Gives the answer to all that wait. */
  resolve(answer: T): void {
    for (const waiter of this.#end()) waiter.resolve(answer);
  }

  /** Lets all that wait fail. */
  reject(error: unknown): void {
    for (const waiter of this.#end()) waiter.reject(error);
  }

  /** Lets those fail whose deadline is over. */
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
