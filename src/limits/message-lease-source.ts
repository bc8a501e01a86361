import type { LeaseRequest, LeaseSource } from './lease-source.ts';
import type { Taken, WindowCounter } from './window-counter.ts';

/** What a worker process asks of the process that started it. */
export interface LeaseQuestion {
  readonly kind: 'lease';
  readonly requests: readonly LeaseRequest[];
}

/** What it is answered, in the order of its questions. */
export interface LeaseAnswer {
  readonly kind: 'leased';
  readonly taken: readonly Taken[];
}

/** Asks for budgets by messages, of which none is lost while both processes live; a worker ends with the other process. */
export class MessageLeaseSource implements LeaseSource {
  readonly isReachable = true;
  readonly #send: (question: LeaseQuestion) => void;
  readonly #open: ((taken: readonly Taken[]) => void)[] = [];

  /** `send` hands a question to the other process. */
  constructor(send: (question: LeaseQuestion) => void) {
    this.#send = send;
  }

  lease(requests: readonly LeaseRequest[]): Promise<readonly Taken[]> {
    return new Promise((resolve) => {
      this.#open.push(resolve);
      this.#send({ kind: 'lease', requests });
    });
  }

  /** Takes the answer to the oldest open question. */
  receive(answer: LeaseAnswer): void {
    this.#open.shift()?.(answer.taken);
  }
}

/** Answers a worker from the budgets that all workers share. */
export function answerLeaseQuestion({ requests }: LeaseQuestion, counter: WindowCounter): LeaseAnswer {
  return { kind: 'leased', taken: requests.map(({ id, limit, wanted }) => counter.take(id, limit, wanted)) };
}
