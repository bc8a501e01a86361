import { isIP } from 'node:net';
import { Redis } from 'iovalkey';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { counterOptions, type RequestCounter, type WindowCount } from './rate-limiter.ts';

/** Where a counter on Redis or Valkey connects to, and what it reports. */
export interface RedisCounterOptions {
  /** A `REDIS_URL`; its password is never logged or thrown. */
  redisUrl: string;
  /** Called when Redis is lost and when it is reachable again; `reason` is a code such as `ECONNREFUSED` or `WRONGPASS`. */
  onChange: (isReachable: boolean, reason: string) => void;
}

/** Why Redis is lost when the client has named no error: the connection was closed. */
const noReason = 'closed';

/**
 * Counts on a Redis or Valkey, shared by all processes with the same `REDIS_URL`.
 *
 * While Redis does not answer each process continues by itself from the last count it received. The library's insurance
 * limiter would begin at zero, and would not report why Redis was not used.
 */
export class RedisCounter implements RequestCounter {
  readonly #client: ReturnType<typeof createRedisClient>;
  readonly #shared: RateLimiterRedis;
  readonly #own = new RateLimiterMemory(counterOptions);
  readonly #onChange: RedisCounterOptions['onChange'];
  readonly #firstOutcome = Promise.withResolvers<void>();
  #isReachable = false;
  /** Whether its loss has been reported. */
  #isReportedLost = false;
  #isClosed = false;
  #lastReason = noReason;

  /** Does not connect before `connect`; reconnects after every loss. */
  constructor({ redisUrl, onChange }: RedisCounterOptions) {
    this.#onChange = onChange;
    this.#client = createRedisClient(redisUrl);
    const options = { ...counterOptions, storeClient: this.#client, keyPrefix: 'splwright:rate' };
    this.#shared = new RateLimiterRedis(options);
    this.#client.on('error', (error) => {
      const reason = redisReasonOf(error);
      // It follows from the refused password, and says less.
      if (this.#lastReason !== 'WRONGPASS' || reason !== 'NOAUTH') this.#lastReason = reason;
    });
    this.#client.on('close', () => this.#lose());
    this.#client.on('ready', () => void this.#tryOut());
  }

  /** Whether Redis answers now. */
  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** Resolves once the first attempt to connect has succeeded or failed, after a few seconds at the latest. */
  connect(): Promise<void> {
    // A failure is reported by the events that follow it.
    this.#client.connect().catch(() => undefined);
    return this.#firstOutcome.promise;
  }

  async consume(id: string, requests = 1): Promise<WindowCount> {
    const own = await this.#own.consume(id, requests);
    if (!this.#isReachable) return own;
    try {
      const shared = await this.#shared.consume(id, requests);
      // A Redis that restarted empty has lost requests that this process has counted.
      if (shared.consumedPoints < own.consumedPoints) return own;
      await this.#own.set(id, shared.consumedPoints, Math.max(1, shared.msBeforeNext) / 1000);
      return shared;
    } catch (error) {
      this.#giveUp(error);
      return own;
    }
  }

  /** Disconnects for good. */
  close(): void {
    this.#isClosed = true;
    this.#client.disconnect();
  }

  // A connection alone proves little: a replica, a server without memory left or a user without rights does not count.
  async #tryOut(): Promise<void> {
    try {
      await this.#shared.consume('probe');
      this.#isReachable = true;
      this.#lastReason = noReason;
      if (this.#isReportedLost) this.#onChange(true, 'back');
      this.#isReportedLost = false;
      this.#firstOutcome.resolve();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    if (this.#isReachable || this.#client.status === 'ready') this.#lastReason = redisReasonOf(error);
    // After a failover its address may lead to another server.
    if (this.#client.status === 'ready') this.#client.disconnect(true);
    this.#lose();
  }

  #lose(): void {
    this.#isReachable = false;
    this.#firstOutcome.resolve();
    if (this.#isReportedLost || this.#isClosed) return;
    this.#isReportedLost = true;
    this.#onChange(false, this.#lastReason);
  }
}

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

const noAuthority = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/**
 * Returns why Redis is not used, as a code such as `ECONNREFUSED` or `WRONGPASS`.
 *
 * Not the message or the error itself: an error of the client holds the command, which may be AUTH with its password.
 */
function redisReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.name;
}

/** Returns what to do about a reason why the Redis of a `REDIS_URL` is not used. */
export function redisRemedyOf(reason: string, redisUrl: string): string {
  const isTls = redisUrl.startsWith('rediss:');
  if (noAuthority.test(reason)) {
    return 'Its certificate is not signed by an authority that is known here: name the file of the authority in NODE_EXTRA_CA_CERTS.';
  }
  if (/ALERT|CERTIFICATE_REQUIRED/.test(reason)) {
    return 'It asks for a certificate of the client, and gets none: let it accept the password alone (tls-auth-clients no).';
  }
  switch (reason) {
    case 'WRONGPASS':
    case 'NOAUTH':
      return 'Check the user and the password in REDIS_URL; special characters are percent-encoded.';
    case 'NOPERM':
      return 'Give the user the commands and keys that docs/operate/stores.md lists.';
    case 'MOVED':
    case 'CLUSTERDOWN':
      return 'It is a node of a Redis Cluster, which is not supported: name a standalone server.';
    case 'ERR':
      return 'It does not know the commands that the limits use: check that it is a supported version of Redis or Valkey.';
    case 'OOM':
      return 'Its memory is used up: give it more, or use a separate server for the limits.';
    case 'READONLY':
      return 'It is a replica: name the primary in REDIS_URL.';
    case 'CERT_HAS_EXPIRED':
      return 'Its certificate has expired: renew it, and check the clock of this machine.';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'Its certificate has another name than its host in REDIS_URL: use that name.';
    case 'ECONNRESET':
      return isTls
        ? 'It closed the connection: check the port, and that it asks for no certificate of the client (tls-auth-clients no).'
        : 'It closed the connection, as a port with TLS does: try rediss:// in REDIS_URL.';
    case 'ETIMEDOUT':
      return isTls
        ? 'It does not answer: check host, port and firewall; for a port without TLS write redis:// in REDIS_URL.'
        : 'It does not answer: check host, port and firewall.';
    default:
      return 'Check host and port in REDIS_URL, and whether it runs.';
  }
}
