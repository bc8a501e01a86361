import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { RedisAddress } from '../../config/redis-address.ts';
import { MemoryCounter } from '../../limits/memory-counter.ts';
import { RateLimiter, type RequestCounter } from '../../limits/rate-limiter.ts';
import type { RedisCounter, RedisCounterOptions } from '../../limits/redis-counter.ts';

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
  { redis, rateLimitPerMinute }: Pick<Config, 'redis' | 'rateLimitPerMinute'>,
  logger: Logger,
  sharedCounter?: RequestCounter,
  onCount?: RedisCounterOptions['onCount'],
): Promise<RunningLimiter> {
  if (redis) {
    const counter = await connectRedis(redis, logger, onCount);
    return {
      limiter: new RateLimiter(rateLimitPerMinute, counter),
      isRedisReachable: () => counter.isReachable,
      close: () => counter.close(),
    };
  }
  const counter = sharedCounter ?? new MemoryCounter();
  return { limiter: new RateLimiter(rateLimitPerMinute, counter), isRedisReachable: undefined, close: () => undefined };
}

async function connectRedis(
  address: RedisAddress,
  logger: Logger,
  onCount: RedisCounterOptions['onCount'],
): Promise<RedisCounter> {
  // Loaded only when used: it takes some 50 ms.
  const { RedisCounter } = await import('../../limits/redis-counter.ts');
  const counter = new RedisCounter({
    address,
    onCount,
    onChange: (isReachable, reason) => {
      if (isReachable) logger.warn('rate limits: Redis is back, and shares them again');
      else void logLoss(reason, address, logger);
    },
  });
  await counter.connect();
  return counter;
}

async function logLoss(reason: string, address: RedisAddress, logger: Logger): Promise<void> {
  const { explainLoss } = await import('../../limits/explain-loss.ts');
  const loss = await explainLoss(reason, address);
  logger.warn({ ...loss }, 'rate limits: Redis is lost; each process holds them by itself until it is back');
}
