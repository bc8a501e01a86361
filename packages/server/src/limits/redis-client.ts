import { isIP } from 'node:net';
import { Redis } from 'iovalkey';

/** How long Redis may leave a command unanswered before its connection counts as dead. */
const silenceMs = 500;
/** The pause before the next attempt to connect; no request waits for it. */
const reconnectMs = 500;

const options = {
  lazyConnect: true,
  // Without a connection no command is queued, and no command is sent twice.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: silenceMs,
  socketTimeout: silenceMs,
  retryStrategy: () => reconnectMs,
  connectionName: 'splwright',
} as const;

/** Makes a client of the Redis or Valkey of a `REDIS_URL`; it is not connected yet. */
export function createRedisClient(redisUrl: string): Redis {
  const { protocol, hostname } = new URL(redisUrl);
  // A server that serves several names must be told which one is meant; an IP address is no such name.
  const isNamed = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0;
  return new Redis(redisUrl, {
    ...options,
    ...(protocol === 'rediss:' && isNamed && { tls: { servername: hostname } }),
  });
}
