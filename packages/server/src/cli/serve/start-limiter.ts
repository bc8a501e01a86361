import type { Logger } from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Config } from '../../config/config.ts';
import { counterOptions, RateLimiter, type RequestCounter } from '../../limits/rate-limiter.ts';
import type { RedisCounter } from '../../limits/redis-counter.ts';

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
  { redisUrls, rateLimitPerMinute }: Pick<Config, 'redisUrls' | 'rateLimitPerMinute'>,
  logger: Logger,
  sharedCounter?: RequestCounter,
): Promise<RunningLimiter> {
  if (redisUrls.length > 0) {
    const counter = await connectRedis(redisUrls, logger);
    return {
      limiter: new RateLimiter(rateLimitPerMinute, counter),
      isRedisReachable: () => counter.isReachable,
      close: () => counter.close(),
    };
  }
  const counter = sharedCounter ?? new RateLimiterMemory(counterOptions);
  return { limiter: new RateLimiter(rateLimitPerMinute, counter), isRedisReachable: undefined, close: () => undefined };
}

async function connectRedis(urls: readonly string[], logger: Logger): Promise<RedisCounter> {
  // Loaded only when used: it takes some 50 ms.
  const { RedisCounter } = await import('../../limits/redis-counter.ts');
  const counter = new RedisCounter({
    urls,
    onChange: (isReachable, reason) => {
      if (isReachable) logger.warn('rate limits: Redis is back, and shares them again');
      else logger.warn({ reason }, 'rate limits: Redis is lost; each process holds them by itself until it is back');
    },
  });
  await counter.connect();
  return counter;
}
