import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { LeaseSource } from '../limits/lease-source.ts';
import { LeasedRateLimiter } from '../limits/leased-rate-limiter.ts';
import { MemoryRateLimiter } from '../limits/memory-rate-limiter.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { RedisLeaseSource } from '../limits/redis-lease-source.ts';

/** A rate limiter that runs. */
export interface RunningLimiter {
  limiter: RateLimiter;
  /** Whether Redis shares the limits now; `undefined` when it is not to. */
  isRedisReachable: (() => boolean) | undefined;
  /** Releases what it holds; requests may still be limited afterwards. */
  close(): void;
}

/** How many replicas a limit shared by Redis is exact for; of more, what they lease and never use may come to more than 1 %. */
const replicas = 4;

/** Budgets that another process of this service keeps. */
export interface SharedLeases {
  source: LeaseSource;
  /** How many processes share them. */
  processes: number;
}

/**
 * Starts the rate limiter that the configuration asks for: shared by Redis, whether it can be reached or not; shared with
 * other processes of the service when there are any; or in memory.
 */
export async function startLimiter(
  { redisUrl, rateLimitPerMinute }: Pick<Config, 'redisUrl' | 'rateLimitPerMinute'>,
  logger: Logger,
  leases?: SharedLeases,
): Promise<RunningLimiter> {
  const now = (): number => performance.now();
  const limiterOn = (shared: SharedLeases): RateLimiter =>
    new LeasedRateLimiter({ ...shared, defaultPerMinute: rateLimitPerMinute, now });
  if (redisUrl !== undefined) {
    const source = await connectRedis(redisUrl, logger);
    return {
      limiter: limiterOn({ source, processes: replicas * (leases?.processes ?? 1) }),
      isRedisReachable: () => source.isReachable,
      close: () => source.close(),
    };
  }
  const limiter = leases ? limiterOn(leases) : new MemoryRateLimiter(rateLimitPerMinute, now);
  return { limiter, isRedisReachable: undefined, close: () => undefined };
}

async function connectRedis(url: string, logger: Logger): Promise<RedisLeaseSource> {
  // Loaded only where it is used: it takes some 50 ms.
  const { RedisLeaseSource } = await import('../limits/redis-lease-source.ts');
  const source = new RedisLeaseSource({
    url,
    onChange: (isReachable, reason) => {
      if (isReachable) logger.warn('rate limits: Redis is back, and shares them again');
      else logger.warn({ reason }, 'rate limits: Redis is lost; each process holds them by itself until it is back');
    },
  });
  await source.connect();
  return source;
}
