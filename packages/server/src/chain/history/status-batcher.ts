import type { SignatureStatus, StatusesAtSlot } from '../chain-history.ts';
import type { Deadline } from '../chain-reader.ts';
import type { SharedWork, WorkTracer } from '../work-tracer.ts';
import { maxStatuses } from './history-requests.ts';

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
