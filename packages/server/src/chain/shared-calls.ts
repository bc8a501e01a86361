import type { SignatureStatus, StatusesAtSlot } from './chain-history.ts';
import type { SharedWork, WorkTracer } from './chain-observer.ts';
import type { Deadline } from './chain-reader.ts';
import { maxStatuses } from './history-requests.ts';
import { type DeadlineWatch, SharedAnswer } from './shared-answer.ts';
import { tooSlow } from './upstream-faults.ts';

// How long a call serves other requests too, from when it was sent. What depends on a slot has the slot in its key.
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
 * Shares each call among the requests with the same key within 400 ms, unless newer answers have displaced its own.
 *
 * A failed call is shared only among the requests that already wait for it.
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

/** The status of one signature as of a slot of its node. */
export interface StatusAtSlot {
  slot: bigint;
  status: SignatureStatus | null;
}

interface Batch {
  signatures: string[];
  deadline: Deadline;
  answer: PromiseWithResolvers<StatusesAtSlot>;
  /** Names the requests that ask; absent while nothing is traced. */
  work: SharedWork | undefined;
  isSent: boolean;
}

/** Combines the signatures that are asked for in one turn of the event loop into calls of up to 256. */
export class StatusBatcher {
  readonly #call: (signatures: readonly string[], deadline: Deadline) => Promise<StatusesAtSlot>;
  readonly #tracer: WorkTracer | undefined;
  #open: Batch | undefined;

  /** `call` reads the statuses of up to 256 signatures in one upstream call. */
  constructor(
    call: (signatures: readonly string[], deadline: Deadline) => Promise<StatusesAtSlot>,
    tracer?: WorkTracer,
  ) {
    this.#call = call;
    this.#tracer = tracer;
  }

  /** Reads the status of a signature. Throws what the upstream call throws. */
  async read(signature: string, deadline: Deadline): Promise<StatusAtSlot> {
    this.#open ??= this.#newBatch();
    const batch = this.#open;
    batch.work?.join();
    const index = batch.signatures.push(signature) - 1;
    batch.deadline = Math.max(batch.deadline, deadline);
    if (batch.signatures.length === maxStatuses) this.#send(batch);
    const { slot, statuses } = await batch.answer.promise;
    return { slot, status: statuses[index] ?? null };
  }

  #newBatch(): Batch {
    const answer = Promise.withResolvers<StatusesAtSlot>();
    const work = this.#tracer?.share();
    const batch: Batch = { signatures: [], deadline: Number.NEGATIVE_INFINITY, answer, work, isSent: false };
    setImmediate(() => this.#send(batch));
    return batch;
  }

  #send(batch: Batch): void {
    if (batch.isSent) return;
    batch.isSent = true;
    if (this.#open === batch) this.#open = undefined;
    const call = () => this.#call(batch.signatures, batch.deadline);
    const called = batch.work ? batch.work.run(call) : call();
    called.then(batch.answer.resolve, batch.answer.reject);
  }
}
