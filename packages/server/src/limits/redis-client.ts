import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis } from 'iovalkey';
import type { RedisAddress } from '../config/redis-address.ts';
import { tlsOptions } from '../tls-files.ts';

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

/**
 * Makes a client of one Redis or Valkey, of a Redis Cluster, or of the primary that Sentinels name; it is not connected yet.
 *
 * Throws when a file of TLS cannot be used.
 */
export function createRedisClient(address: RedisAddress): Redis | Cluster {
  const { kind, nodes, username, password, database, family, sentinel } = address;
  const [node] = nodes;
  if (node === undefined) throw new RangeError('a Redis client needs an address');
  const tls = tlsOf(address);
  const each = {
    ...options,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(family !== undefined && { family }),
    ...(tls && { tls }),
  };
  if (kind === 'cluster') {
    return new Cluster([...nodes], {
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: () => reconnectMs,
      redisOptions: each,
      // A certificate has names: those of the nodes must not be replaced by their addresses.
      ...(tls && { dnsLookup: (host: string, done: (error: null, host: string) => void) => done(null, host) }),
    });
  }
  if (!sentinel) return new Redis({ ...each, ...node, db: database });
  return new Redis({
    ...each,
    db: database,
    sentinels: [...nodes],
    name: sentinel.name,
    ...(sentinel.username !== undefined && { sentinelUsername: sentinel.username }),
    ...(sentinel.password !== undefined && { sentinelPassword: sentinel.password }),
    sentinelCommandTimeout: silenceMs,
    sentinelRetryStrategy: () => reconnectMs,
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  });
}

function tlsOf({ tls, kind, nodes }: RedisAddress): ConnectionOptions | undefined {
  if (!tls) return undefined;
  const [node] = nodes;
  // Other nodes have other names, which the client knows only when it is connected to them.
  const name = kind === 'single' && node !== undefined && isIP(node.host) === 0 ? node.host : undefined;
  const servername = tls.servername ?? name;
  const read = tlsOptions(tls.files);
  return servername === undefined ? read : Object.assign(read, { servername });
}
