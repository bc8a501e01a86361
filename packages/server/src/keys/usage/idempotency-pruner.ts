import type { IdempotencyStore } from '../store/idempotency/idempotency-store.ts';

/** The store and the clock of a pruner, and its reports. */
export interface IdempotencyPrunerOptions {
  store: Pick<IdempotencyStore, 'prune'>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called once when expired records cannot be deleted; they are deleted later. */
  onFailure: (error: unknown) => void;
}

const everyMs = 60_000;
/** Between two deletions of one run, in which requests have the database to themselves. */
const pauseMs = 100;
/** One run then takes at most some 50 s, and deletes more than a process builds in that time. */
const maxDeletionsPerRun = 500;

/**
 * Deletes expired records of requests with an `Idempotency-Key`: when it is made, and a minute after each run has ended.
 *
 * Many small deletions, so that no request waits long for one. Expired records count as absent, so they may stay.
 */
export class IdempotencyPruner {
  readonly #options: IdempotencyPrunerOptions;
  #timer: NodeJS.Timeout | undefined;
  #deletion: Promise<void>;
  #deletions = 0;
  #hasFailed = false;
  #isClosed = false;

  /** Starts the first run. */
  constructor(options: IdempotencyPrunerOptions) {
    this.#options = options;
    this.#deletion = this.#deleteSome();
  }

  /** Ends the run, and resolves once no deletion is under way: the store may then be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#deletion;
  }

  async #deleteSome(): Promise<void> {
    const isDone = await this.#isDoneAfterDeletion();
    if (this.#isClosed) return;
    this.#deletions = isDone ? 0 : this.#deletions + 1;
    this.#timer = setTimeout(
      () => {
        this.#deletion = this.#deleteSome();
      },
      isDone ? everyMs : pauseMs,
    ).unref();
  }

  async #isDoneAfterDeletion(): Promise<boolean> {
    try {
      const deleted = await this.#options.store.prune(this.#options.now());
      this.#hasFailed = false;
      return deleted === 0 || this.#deletions + 1 >= maxDeletionsPerRun;
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
      return true;
    }
  }
}
