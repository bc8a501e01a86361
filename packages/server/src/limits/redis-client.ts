import { Cluster, Redis } from 'iovalkey';

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

/** Makes a client of one Redis or Valkey, or of a Redis Cluster when there are several URLs; it is not connected yet. */
export function createRedisClient(urls: readonly string[]): Redis | Cluster {
  const [first, ...others] = urls;
  if (first === undefined) throw new RangeError('a Redis client needs a URL');
  if (others.length === 0) return new Redis(first, options);
  const { username, password, protocol } = new URL(first);
  return new Cluster(urls.map(nodeOf), {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => reconnectMs,
    redisOptions: {
      ...options,
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}

const defaultPort = 6379;

function nodeOf(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(text);
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) || defaultPort };
}
