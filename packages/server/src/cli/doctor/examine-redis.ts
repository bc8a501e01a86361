import type { Diagnosis } from './diagnosis.ts';

const subject = 'redis';

/** Counts in Redis as the rate limits do, on a key that expires by itself. */
export async function examineRedis(redisUrl: string | undefined): Promise<readonly Diagnosis[]> {
  if (redisUrl === undefined) {
    return [{ subject, level: 'ok', finding: 'Not used: each service counts the rate limits by itself.' }];
  }
  const [{ RedisCounter }, { redisRemedyOf }] = await Promise.all([
    import('../../limits/redis-counter.ts'),
    import('../../limits/redis-faults.ts'),
  ]);
  let reason = '';
  const counter = new RedisCounter({
    redisUrl,
    onChange: (_, said) => {
      reason = said;
    },
  });
  try {
    await counter.connect();
    if (counter.isReachable) {
      const finding = `It answers${redisUrl.startsWith('rediss:') ? ' by TLS' : ''}, and counts for the rate limits.`;
      return [{ subject, level: 'ok', finding }];
    }
  } finally {
    counter.close();
  }
  const meanwhile = 'Until it can be used, each process counts the rate limits by itself.';
  const remedy = `${redisRemedyOf(reason, redisUrl)} ${meanwhile}`;
  return [{ subject, level: 'warning', finding: `It cannot be used: ${reason}.`, remedy }];
}
