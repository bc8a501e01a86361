import { RateLimiterCluster, RateLimiterMemory } from 'rate-limiter-flexible';
import { GroupedCounter } from './grouped-counter.ts';
import { counterOptions, type RequestCounter } from './rate-limiter.ts';

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
