import type { Logger } from 'pino';
import { MemoryCounter, RateLimiter, type RequestCounter } from '../app/limits/rate-limiter.ts';
import type { RedisCounter } from '../app/limits/redis-counter.ts';
import type { Config } from '../config.ts';

/** A rate limiter, and the state of its Redis. */
export interface RunningLimiter {
  limiter: RateLimiter;
  /** Whether Redis answers now; `undefined` when the limits are not in Redis. */
  isRedisReachable: (() => boolean) | undefined;
  /** Disconnects; requests may still be limited afterwards. */
  close(): void;
}

/**
 * Starts the configured rate limiter: with Redis when there is a URL, even if it cannot be reached; otherwise with
 * `sharedCounter`, the counter of all processes of the service; otherwise in memory.
 */
export async function startLimiter(
  { redisUrl, rateLimitPerMinute }: Pick<Config, 'redisUrl' | 'rateLimitPerMinute'>,
  logger: Logger,
  sharedCounter?: RequestCounter,
): Promise<RunningLimiter> {
  if (redisUrl !== undefined) {
    const counter = await connectRedis(redisUrl, logger);
    return {
      limiter: new RateLimiter(rateLimitPerMinute, counter),
      isRedisReachable: () => counter.isReachable,
      close: () => counter.close(),
    };
  }
  const counter = sharedCounter ?? new MemoryCounter();
  return { limiter: new RateLimiter(rateLimitPerMinute, counter), isRedisReachable: undefined, close: () => undefined };
}

async function connectRedis(redisUrl: string, logger: Logger): Promise<RedisCounter> {
  // Loaded only when used: it takes some 50 ms.
  const { RedisCounter, redisRemedyOf } = await import('../app/limits/redis-counter.ts');
  const counter = new RedisCounter({
    redisUrl,
    onChange: (isReachable, reason) => {
      if (isReachable) logger.warn('rate limits: Redis is back, and shares them again');
      else {
        const loss = { reason, remedy: redisRemedyOf(reason, redisUrl) };
        logger.warn(loss, 'rate limits: Redis is lost; each process holds them by itself until it is back');
      }
    },
  });
  await counter.connect();
  return counter;
}
