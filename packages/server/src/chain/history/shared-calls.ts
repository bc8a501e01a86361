import type { Deadline } from '../chain-reader.ts';
import { type DeadlineWatch, SharedAnswer } from '../reads/shared-answer.ts';
import { tooSlow } from '../upstream-faults.ts';

// How long a call serves other requests too, from when it was sent: a slot or two.
const sharedMs = 400;

interface SharedCall<T> {
  sentAt: number;
  /** When the call is given up. */
  deadline: Deadline;
  answer: SharedAnswer<T>;
  /** Its answer, once it is there. */
  received: { value: T } | undefined;
}

/**
 * Calls of which each serves every request for the same within 400 ms, unless more answers than are kept came after its own.
 *
 * Failed ones serve those that wait for them only.
 */
export class SharedCalls<T> {
  readonly #watch: DeadlineWatch;
  readonly #now: () => number;
  readonly #maxKept: number;
  /** The keys of the answers that are kept, the oldest first. */
  readonly #kept = new Set<string>();
  readonly #calls = new Map<string, SharedCall<T>>();

  /** `now` is the monotonic clock in milliseconds; `maxKept` bounds what large answers hold of the memory. */
  constructor(watch: DeadlineWatch, now: () => number, maxKept = Number.POSITIVE_INFINITY) {
    this.#watch = watch;
    this.#now = now;
    this.#maxKept = maxKept;
  }

  /**
   * Returns what `send` resolves with, or what it resolved with for an earlier request with the same key.
   *
   * Throws what `send` throws, and `upstream_timeout` at the deadline.
   */
  async read(key: string, deadline: Deadline, send: (deadline: Deadline) => Promise<T>): Promise<T> {
    if (this.#watch.isOver(deadline)) throw tooSlow();
    const known = this.#calls.get(key);
    const call = known && this.#serves(known, deadline) ? known : this.#send(key, deadline, send);
    return call.received ? call.received.value : call.answer.wait(deadline, (value) => value);
  }

  #serves({ sentAt, received, deadline }: SharedCall<T>, requestDeadline: Deadline): boolean {
    if (this.#now() - sentAt >= sharedMs) return false;
    // A call that is given up long before this request would fail it too early.
    return received !== undefined || deadline + sharedMs >= requestDeadline;
  }

  #send(key: string, deadline: Deadline, send: (deadline: Deadline) => Promise<T>): SharedCall<T> {
    const answer = new SharedAnswer<T>(this.#watch);
    const call: SharedCall<T> = { sentAt: this.#now(), deadline, answer, received: undefined };
    this.#calls.set(key, call);
    // An answer may be large: it is not kept until the next request comes.
    const forget = (): void => {
      if (this.#calls.get(key) === call) this.#forget(key);
    };
    setTimeout(forget, sharedMs).unref();
    answer
      .ask(() => send(deadline))
      .then(
        (value) => {
          call.received = { value };
          answer.resolve(value);
          if (this.#calls.get(key) === call) this.#keep(key);
        },
        (error: unknown) => {
          forget();
          answer.reject(error);
        },
      );
    return call;
  }

  #keep(key: string): void {
    this.#kept.add(key);
    const [oldest] = this.#kept;
    if (oldest !== undefined && this.#kept.size > this.#maxKept) this.#forget(oldest);
  }

  #forget(key: string): void {
    this.#calls.delete(key);
    this.#kept.delete(key);
  }
}
