import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { counterOptions, type RequestCounter } from './rate-limiter.ts';
import { createRedisClient } from './redis-client.ts';

/** Where a counter on Redis or Valkey connects to, and what it reports. */
export interface RedisCounterOptions {
  /** `redis://` or `rediss://`; several are nodes of one Redis Cluster. Their passwords are never logged or thrown. */
  urls: readonly string[];
  /** Called when Redis is lost and when it is reachable again; `reason` is a code such as `ECONNREFUSED` or `WRONGPASS`. */
  onChange: (isReachable: boolean, reason: string) => void;
}

type Count = Awaited<ReturnType<RequestCounter['consume']>>;

/**
 * Counts on one Redis or Valkey, shared by all processes with the same URL.
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
  #lastReason = 'closed';

  /** Does not connect before `connect`; reconnects after every loss. */
  constructor({ urls, onChange }: RedisCounterOptions) {
    this.#onChange = onChange;
    this.#client = createRedisClient(urls);
    this.#shared = new RateLimiterRedis({ ...counterOptions, storeClient: this.#client, keyPrefix: 'splwright:rate' });
    const noteReason = (error: unknown): void => {
      this.#lastReason = reasonOf(error);
    };
    this.#client.on('error', noteReason).on('node error', noteReason);
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

  async consume(id: string, requests = 1): Promise<Count> {
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
      if (this.#isReportedLost) this.#onChange(true, 'back');
      this.#isReportedLost = false;
      this.#firstOutcome.resolve();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    if (this.#isReachable || this.#client.status === 'ready') this.#lastReason = reasonOf(error);
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

// Not the message or the error itself: an error of the client holds the command, which may be AUTH with its password.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.name;
}
