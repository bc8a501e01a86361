import { storeFaultOf } from '../../keys/store/store-fault.ts';
import type { Diagnosis } from './diagnosis.ts';

const subject = 'redis';

/** Asks Redis for what the rate limits need: an answer, and leave to run scripts. */
export async function examineRedis(urls: readonly string[]): Promise<readonly Diagnosis[]> {
  if (urls.length === 0) {
    return [{ subject, level: 'ok', finding: 'Not used: each service counts the rate limits by itself.' }];
  }
  const { createRedisClient } = await import('../../limits/redis-client.ts');
  const client = createRedisClient(urls);
  // Without a listener, a lost connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
    await client.eval('return 1', 0);
    return [{ subject, level: 'ok', finding: 'It answers, and runs the script of the rate limits.' }];
  } catch (error) {
    return [
      {
        subject,
        level: 'warning',
        finding: `It cannot be used: ${storeFaultOf(error)}.`,
        remedy:
          'Until it can, each process counts the rate limits by itself. Check REDIS_URL, its password and its ACL.',
      },
    ];
  } finally {
    client.disconnect();
  }
}
