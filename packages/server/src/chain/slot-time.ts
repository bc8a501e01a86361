import type { Deadline } from './chain-reader.ts';
import { UpstreamFault } from './upstream-faults.ts';

/** Where the pace of the cluster is read. */
export interface SlotTimeOptions {
  /** Asks the upstreams for their newest measurement, in milliseconds a slot; `null` when there is none. */
  call: (deadline: Deadline) => Promise<number | null>;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// Nodes measure once a minute.
const memoryMs = 60_000;

// It only makes a wait more exact.
const timeoutMs = 1_000;

/** How long a slot of the cluster takes, as its nodes measured it: asked for when it is needed, and at most once a minute. */
export class SlotTime {
  readonly #options: SlotTimeOptions;
  #answer: Promise<number | undefined> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SlotTimeOptions) {
    this.#options = options;
  }

  /** Resolves with the milliseconds of a slot, after a second at most; with `undefined` while no node says it. */
  read(): Promise<number | undefined> {
    const { call, now } = this.#options;
    if (this.#answer && now() - this.#askedAt < memoryMs) return this.#answer;
    this.#askedAt = now();
    this.#answer = call(now() + timeoutMs).then(
      (slotMs) => slotMs ?? undefined,
      (error: unknown) => {
        if (error instanceof UpstreamFault) return undefined;
        throw error;
      },
    );
    return this.#answer;
  }
}
