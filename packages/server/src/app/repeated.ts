import { UpstreamFault } from '../chain/upstream-faults.ts';
import { isAppError } from '../problems.ts';

export interface RepeatedOptions {
  run: () => Promise<void>;
  /** The pause after a run. */
  everyMs: number;
  /** Called with the first of failures in a row; faults of nodes are none. */
  onFailure: (error: unknown) => void;
}

/** Work that a service repeats in the background from its start until it is closed. A run that fails is followed by the next one. */
export class Repeated {
  readonly #options: RepeatedOptions;
  readonly #ended: Promise<void>;
  #wake: () => void = () => undefined;
  #hasFailed = false;
  #isClosed = false;

  /** Begins, once its caller's turn has ended. */
  constructor(options: RepeatedOptions) {
    this.#options = options;
    this.#ended = Promise.resolve().then(() => this.#repeat());
  }

  /** Whether a run that has more to do must end. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends the pause, if there is one. */
  wake(): void {
    this.#wake();
  }

  /** Reports a failure of something that a run began, unless another one was reported since the last run that succeeded. */
  fail(error: unknown): void {
    if (error instanceof UpstreamFault || isAppError(error)) return;
    if (!this.#hasFailed) this.#options.onFailure(error);
    this.#hasFailed = true;
  }

  /** Resolves after a time, or when it is woken or closed. */
  async pause(pauseMs: number): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Resolves once the run that is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#ended;
  }

  async #repeat(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#options.run();
        this.#hasFailed = false;
      } catch (error) {
        this.fail(error);
      }
      await this.pause(this.#options.everyMs);
    }
  }
}
