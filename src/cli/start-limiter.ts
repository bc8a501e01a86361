import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { LeasedRateLimiter } from '../limits/leased-rate-limiter.ts';
import { MemoryRateLimiter } from '../limits/memory-rate-limiter.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';

/** A rate limiter that runs. */
export interface RunningLimiter {
  limiter: RateLimiter;
  /** Releases what it holds; requests may still be limited afterwards. */
  close(): void;
}

/** How many replicas a limit shared by Redis is exact for; with more, what they lease and never use may come to more than 1 %. */
const replicas = 4;

/** Starts the rate limiter that the configuration asks for: in memory, or shared by Redis whether it can be reached or not. */
export async function startLimiter(
  { redisUrl, rateLimitPerMinute }: Pick<Config, 'redisUrl' | 'rateLimitPerMinute'>,
  logger: Logger,
): Promise<RunningLimiter> {
  const now = (): number => performance.now();
  if (redisUrl === undefined) {
    return { limiter: new MemoryRateLimiter(rateLimitPerMinute, now), close: () => undefined };
  }
  // Loaded only where it is used: it takes some 50 ms.
  const { RedisLeaseSource } = await import('../limits/redis-lease-source.ts');
  const source = new RedisLeaseSource({
    url: redisUrl,
    onChange: (isReachable, reason) => {
      if (isReachable) logger.warn('rate limits: Redis is back, and shares them again');
      else logger.warn({ reason }, 'rate limits: Redis is lost; each process holds them by itself until it is back');
    },
  });
  await source.connect();
  const limiter = new LeasedRateLimiter({ source, defaultPerMinute: rateLimitPerMinute, processes: replicas, now });
  return { limiter, close: () => source.close() };
}
