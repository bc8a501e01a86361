import type { Cleanup } from '../../../../../test/setup/service.ts';
import { RedisCounter } from '../../../src/app/limits/redis-counter.ts';

/** A counter on Redis, what it has said of it, and a way to wait for the next word. */
export interface ConnectedCounter {
  counter: RedisCounter;
  /** Counts one request of a key, and returns the count of its window. */
  count(id: string): Promise<number>;
  /** Such as `lost ECONNREFUSED` and `back back`. */
  changes: readonly string[];
  /** Resolves once the last change matches. */
  until(pattern: RegExp): Promise<void>;
}

/** Connects a counter to the Redis of a `REDIS_URL`, and closes it with the test. */
export async function connect(t: Cleanup, redisUrl: string): Promise<ConnectedCounter> {
  const changes: string[] = [];
  let waiting = Promise.withResolvers<void>();
  const onChange = (isReachable: boolean, reason: string): void => {
    changes.push(`${isReachable ? 'back' : 'lost'} ${reason}`);
    waiting.resolve();
    waiting = Promise.withResolvers();
  };
  const counter = new RedisCounter({ redisUrl, onChange });
  t.after(async () => counter.close());
  await counter.connect();
  return {
    counter,
    count: async (id) => (await counter.consume(id)).consumedPoints,
    changes,
    until: async (pattern) => {
      while (!pattern.test(changes.at(-1) ?? '')) await waiting.promise;
    },
  };
}
