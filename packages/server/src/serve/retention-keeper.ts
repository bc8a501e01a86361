/** Something that is deleted, or settled, when its time has come. */
export interface RetentionTask {
  /** Does a small part of it at `now`, in milliseconds since the Unix epoch; returns whether nothing is left to do. */
  step(now: number): Promise<boolean>;
  /** How long to wait after a step that has left something; by default some times as long as the step took. */
  pauseMs?: number;
  /** How many steps a run may take; by default 500. */
  maxSteps?: number;
}

/** The right to do this work for all processes on a database. */
export interface RetentionLease {
  /** Takes or renews it; false while another process has it. */
  take(): Promise<boolean>;
  release(): Promise<void>;
}

/** The tasks and the clock of a keeper, and its reports. */
export interface RetentionKeeperOptions {
  tasks: readonly RetentionTask[];
  lease: RetentionLease;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** The monotonic clock in milliseconds. */
  elapsed: () => number;
  /** Called once when something cannot be deleted; it is deleted later. */
  onFailure: (error: unknown) => void;
}

const everyMs = 60_000;
const defaultMaxSteps = 500;
/** Four fifths of the time belong to requests. */
const pausePerStep = 4;
const minPauseMs = 20;
const maxPauseMs = 100;

/**
 * Deletes what has been kept for long enough: when it is made, and a minute after each run has ended.
 *
 * Many small steps, so that no request waits long for one, and one process at a time: the others look once a minute whether it
 * is still there.
 */
export class RetentionKeeper {
  readonly #options: RetentionKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #step: Promise<void>;
  #task = 0;
  #steps = 0;
  #hasFailed = false;
  #failedThisRun = false;
  #isClosed = false;

  /** Starts the first run. */
  constructor(options: RetentionKeeperOptions) {
    this.#options = options;
    this.#step = this.#next();
  }

  /** Ends the run, and resolves once no step is under way: the store may then be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#step;
    await this.#options.lease.release().catch(() => undefined);
  }

  async #next(): Promise<void> {
    const waitMs = await this.#waitAfterStep();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#step = this.#next();
    }, waitMs).unref();
  }

  async #waitAfterStep(): Promise<number> {
    const { tasks, lease, now, elapsed } = this.#options;
    const task = tasks[this.#task];
    const startedAt = elapsed();
    let isDone = true;
    try {
      if (!task || !(await lease.take())) return this.#endRun();
      isDone = await task.step(now());
    } catch (error) {
      this.#failedThisRun = true;
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
    }
    this.#steps += 1;
    if (isDone || this.#steps >= (task?.maxSteps ?? defaultMaxSteps)) {
      this.#task += 1;
      this.#steps = 0;
      if (this.#task >= tasks.length) return this.#endRun();
      return minPauseMs;
    }
    const ofStep = pausePerStep * (elapsed() - startedAt);
    return task?.pauseMs ?? Math.min(Math.max(ofStep, minPauseMs), maxPauseMs);
  }

  #endRun(): number {
    this.#task = 0;
    this.#steps = 0;
    if (!this.#failedThisRun) this.#hasFailed = false;
    this.#failedThisRun = false;
    return everyMs;
  }
}
