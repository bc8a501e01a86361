import type { RedisAddress } from '../config/redis-address.ts';
import { createRedisClient } from './redis-client.ts';
import { redisReasonOf, redisRemedyOf } from './redis-faults.ts';

/** Why Redis is not used, and what to do about it. */
export interface RedisLoss {
  /** A code such as `ECONNREFUSED`. */
  reason: string;
  remedy: string;
}

/** Reasons for which the client of a Cluster or of Sentinels keeps those of their nodes to itself. */
const vague = /^(?:closed|NO_SENTINEL|\w*Error)$/;

/** Explains a loss; asks the first node of a Cluster or the first Sentinel when the reason alone says too little. */
export async function explainLoss(reason: string, address: RedisAddress): Promise<RedisLoss> {
  const clear =
    address.kind !== 'single' && vague.test(reason) ? ((await reasonOfFirstNode(address)) ?? reason) : reason;
  return { reason: clear, remedy: redisRemedyOf(clear, address) };
}

/** Returns why the first node cannot be talked to; undefined when it can. */
async function reasonOfFirstNode(address: RedisAddress): Promise<string | undefined> {
  const { username, password } = address.sentinel ?? address;
  const node = { ...address, kind: 'single', database: 0, username, password, sentinel: undefined } as const;
  let client: ReturnType<typeof createRedisClient>;
  try {
    client = createRedisClient(node);
  } catch {
    // The files of TLS have gone since the start.
    return undefined;
  }
  let reason: string | undefined;
  client.on('error', (error: unknown) => {
    reason ??= redisReasonOf(error);
  });
  // Its error is the one of the event, without the cause.
  await client.connect().catch(() => undefined);
  client.disconnect();
  return reason;
}
