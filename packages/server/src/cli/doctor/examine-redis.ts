import type { RedisAddress } from '../../config/redis-address.ts';
import type { Diagnosis } from './diagnosis.ts';

const subject = 'redis';

const names = {
  single: 'It',
  cluster: 'The cluster',
  sentinel: 'The primary that the Sentinels name',
} as const satisfies Record<RedisAddress['kind'], string>;

/** Counts in Redis as the rate limits do, on a key that expires by itself. */
export async function examineRedis(address: RedisAddress | undefined): Promise<readonly Diagnosis[]> {
  if (!address) {
    return [{ subject, level: 'ok', finding: 'Not used: each service counts the rate limits by itself.' }];
  }
  const [{ RedisCounter }, { explainLoss }] = await Promise.all([
    import('../../limits/redis-counter.ts'),
    import('../../limits/explain-loss.ts'),
  ]);
  let said = '';
  const counter = new RedisCounter({
    address,
    onChange: (_, reason) => {
      said = reason;
    },
  });
  try {
    await counter.connect();
    if (counter.isReachable) {
      const finding = `${names[address.kind]} answers${address.tls ? ' by TLS' : ''}, and counts for the rate limits.`;
      return [{ subject, level: 'ok', finding }];
    }
  } finally {
    counter.close();
  }
  const { reason, remedy } = await explainLoss(said, address);
  const meanwhile = 'Until it can be used, each process counts the rate limits by itself.';
  return [{ subject, level: 'warning', finding: `It cannot be used: ${reason}.`, remedy: `${remedy} ${meanwhile}` }];
}
