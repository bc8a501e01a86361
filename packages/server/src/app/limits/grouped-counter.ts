import { RateLimiterCluster, RateLimiterMemory } from 'rate-limiter-flexible';
import { counterOptions, type RequestCounter, type WindowCount } from './rate-limiter.ts';

interface Waiting {
  requests: number;
  resolve(count: WindowCount): void;
  reject(error: unknown): void;
}

/**
 * Counts the requests of a key that arrive in one turn of the event loop together, for a counter outside of this process.
 *
 * Each is told the count that it would have had if they were counted one after another. Rejects where the counter does.
 */
export class GroupedCounter implements RequestCounter {
  readonly #counter: RequestCounter;
  /** Those of this turn, by key. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(counter: RequestCounter) {
    this.#counter = counter;
  }

  /** Counts a number of requests of a key, one by default; resolves with the count of its window. */
  consume(id: string, requests = 1): Promise<WindowCount> {
    return new Promise((resolve, reject) => {
      const group = this.#waiting.get(id);
      if (group) group.push({ requests, resolve, reject });
      else {
        this.#waiting.set(id, [{ requests, resolve, reject }]);
        setImmediate(() => void this.#send(id));
      }
    });
  }

  async #send(id: string): Promise<void> {
    const group = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    const sum = group.reduce((requests, waiting) => requests + waiting.requests, 0);
    try {
      const { consumedPoints, msBeforeNext } = await this.#counter.consume(id, sum);
      let used = consumedPoints - sum;
      for (const waiting of group) {
        used += waiting.requests;
        waiting.resolve({ consumedPoints: used, msBeforeNext });
      }
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
    }
  }
}

/** How long the primary process may take to answer. It does little else, so it is late only when the machine is stalled. */
const timeoutMs = 1000;

/**
 * Makes a counter that all worker processes share: the primary process, which needs a `RateLimiterClusterMaster`, counts.
 *
 * A worker that gets no answer in time counts by itself.
 */
export function createWorkerCounter(): RequestCounter {
  const shared = new RateLimiterCluster({ ...counterOptions, keyPrefix: 'rate', timeoutMs });
  const own = new RateLimiterMemory(counterOptions);
  return new GroupedCounter({
    consume: (id, requests = 1) => shared.consume(id, requests).catch(() => own.consume(id, requests)),
  });
}
