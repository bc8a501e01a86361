import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { counterOptions, type RequestCounter } from './rate-limiter.ts';
import { createRedisClient } from './redis-client.ts';

/** What a counter on Redis or Valkey is made with. */
export interface RedisCounterOptions {
  /** `redis://` or `rediss://`; several are nodes of one Redis Cluster. Their password shows up nowhere. */
  urls: readonly string[];
  /** Called when Redis is lost and when it is back; `reason` is a code such as `ECONNREFUSED` or `WRONGPASS`. */
  onChange: (isReachable: boolean, reason: string) => void;
}

type Count = Awaited<ReturnType<RequestCounter['consume']>>;

/**
 * Counts on one Redis or Valkey, which every process that is given the same URL shares.
 *
 * While Redis is away each process goes on by itself from the count that it last heard of. The library's insurance limiter
 * would begin at zero, and would not tell why Redis was not used.
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

  /** Connects when told to, and again after every loss. */
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

  /** Whether Redis counts now. */
  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** Resolves once the first attempt to connect has succeeded or failed; takes a few seconds at most. */
  connect(): Promise<void> {
    // A failure is told by the events that follow it.
    this.#client.connect().catch(() => undefined);
    return this.#firstOutcome.promise;
  }

  async consume(id: string): Promise<Count> {
    const own = await this.#own.consume(id);
    if (!this.#isReachable) return own;
    try {
      const shared = await this.#shared.consume(id);
      // A Redis that came back empty has forgotten what this process has not.
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

  // A connection alone proves little: a replica, a full memory or a user without rights refuses to count.
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
    // Its address may lead to another server by now, which a failover made the primary.
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

// Never the message or the error itself: an error of the client holds the command, which may be AUTH with its password.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.name;
}
