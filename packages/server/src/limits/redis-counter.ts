import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { GroupedCounter } from './grouped-counter.ts';
import { counterOptions, type RequestCounter, type WindowCount } from './rate-limiter.ts';
import { createRedisClient } from './redis-client.ts';
import { redisReasonOf } from './redis-faults.ts';

/** Where a counter on Redis or Valkey connects to, and what it reports. */
export interface RedisCounterOptions {
  /** A `REDIS_URL`; its password is never logged or thrown. */
  redisUrl: string;
  /** Called when Redis is lost and when it is reachable again; `reason` is a code such as `ECONNREFUSED` or `WRONGPASS`. */
  onChange: (isReachable: boolean, reason: string) => void;
  /** Called for each count of a request that Redis has answered or failed, in the asynchronous context of that request. */
  onCount?: ((durationMs: number, isFailed: boolean) => void) | undefined;
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
  readonly #shared: GroupedCounter;
  readonly #own = new RateLimiterMemory(counterOptions);
  readonly #onChange: RedisCounterOptions['onChange'];
  readonly #onCount: RedisCounterOptions['onCount'];
  readonly #firstOutcome = Promise.withResolvers<void>();
  #isReachable = false;
  /** Whether its loss has been reported. */
  #isReportedLost = false;
  #isClosed = false;
  #lastReason = noReason;

  /** Does not connect before `connect`; reconnects after every loss. */
  constructor({ redisUrl, onChange, onCount }: RedisCounterOptions) {
    this.#onChange = onChange;
    this.#onCount = onCount;
    this.#client = createRedisClient(redisUrl);
    const options = { ...counterOptions, storeClient: this.#client, keyPrefix: 'splwright:rate' };
    this.#shared = new GroupedCounter(new RateLimiterRedis(options));
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
      const onCount = this.#onCount;
      const counted = this.#shared.consume(id, requests);
      const shared = await (onCount ? timed(counted, onCount) : counted);
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

async function timed(
  counted: Promise<WindowCount>,
  onCount: NonNullable<RedisCounterOptions['onCount']>,
): Promise<WindowCount> {
  const startedAt = performance.now();
  let isFailed = true;
  try {
    const count = await counted;
    isFailed = false;
    return count;
  } finally {
    onCount(performance.now() - startedAt, isFailed);
  }
}
