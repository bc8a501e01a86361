import { Repeated } from '../app/repeated.ts';
import { type ChangeSources, findChanges, findTimeoutMs } from './find-changes.ts';
import type { TakenSender, WatchedTransactions } from './records/watched-transactions.ts';

export interface OutcomeWatcherOptions extends ChangeSources {
  watched: Pick<WatchedTransactions, 'take' | 'save' | 'isBuilt'>;
  /** Resolves when the database is of the cluster that is served. */
  confirmCluster: () => Promise<void>;
  /** Called once when the database does not answer. */
  onFailure: (error: unknown) => void;
}

const lookEveryMs = 250;
const leaseMs = findTimeoutMs + 5_000;
const sendersAtOnce = 8;

/** Finds out what became of transactions built under an `Idempotency-Key`, and tells it. Every process on the database does so. */
export class OutcomeWatcher {
  readonly #options: OutcomeWatcherOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #repeated: Repeated;

  /** Begins. */
  constructor(options: OutcomeWatcherOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#repeated = new Repeated({ run: () => this.#lookOnce(), everyMs: lookEveryMs, onFailure });
  }

  /** Ends, once what is under way has ended. */
  async close(): Promise<void> {
    await this.#repeated.close();
    await Promise.all(this.#underWay);
  }

  async #lookOnce(): Promise<void> {
    const { watched, now, confirmCluster } = this.#options;
    await confirmCluster();
    const at = now();
    for (const sender of await watched.take(at, at + leaseMs, sendersAtOnce - this.#underWay.size)) {
      const asked = this.#ask(sender).finally(() => this.#underWay.delete(asked));
      this.#underWay.add(asked);
    }
  }

  async #ask(sender: TakenSender): Promise<void> {
    const { watched, now } = this.#options;
    try {
      // What nodes do not say now is asked for again.
      const changes = await findChanges(sender, this.#options).catch((error: unknown) => {
        this.#repeated.fail(error);
        return [];
      });
      await watched.save(sender, changes, now());
    } catch (error) {
      // The lease ends, and they are due again.
      this.#repeated.fail(error);
    }
  }
}
