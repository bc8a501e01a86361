import { createHash } from 'node:crypto';
import { Redis } from 'iovalkey';
import type { LeaseRequest, LeaseSource } from './lease-source.ts';
import { windowMilliseconds } from './rate-limiter.ts';
import type { Taken } from './window-counter.ts';

/** What a source on Redis or Valkey is made with. */
export interface RedisLeaseSourceOptions {
  /** `redis://` or `rediss://`; its password shows up nowhere. */
  url: string;
  /** Called when Redis is lost and when it is back; `reason` is a code such as `ECONNREFUSED` or `WRONGPASS`. */
  onChange: (isReachable: boolean, reason: string) => void;
}

const keyPrefix = 'splwright:rate:';
/** The pause before the next attempt to connect, for which nothing waits. */
const reconnectMilliseconds = 500;
/** How long Redis may be silent with a question open until its connection counts as dead. */
const silenceMilliseconds = 1000;

// The same as WindowCounter.take for each key: a window begins with the first grant and goes with its key's expiry.
// A number of Lua is a double and the limits are integers far below 2^53. Redis runs a script alone: nothing is lost.
const script = `
local answers = {}
for index, key in ipairs(KEYS) do
  local wanted, limit = tonumber(ARGV[2 * index - 1]), tonumber(ARGV[2 * index])
  local used, left = tonumber(redis.call('GET', key) or 0), redis.call('PTTL', key)
  if left <= 0 then used, left = 0, ${windowMilliseconds} end
  local granted = math.max(0, math.min(wanted, limit - used))
  if granted > 0 then redis.call('SET', key, used + granted, 'PX', left) end
  answers[3 * index - 2], answers[3 * index - 1], answers[3 * index] = granted, math.max(0, limit - used - granted), left
end
return answers
`;
const scriptHash = createHash('sha1').update(script).digest('hex');

/** Keeps budgets on one Redis or Valkey, which every process that is given the same URL shares. */
export class RedisLeaseSource implements LeaseSource {
  readonly #client: Redis;
  readonly #onChange: RedisLeaseSourceOptions['onChange'];
  #isReachable = false;
  /** Whether its loss has been reported. */
  #isReportedLost = false;
  #isClosed = false;
  #lastReason = 'closed';

  readonly #firstOutcome = Promise.withResolvers<void>();

  /** Connects when told to, and again after every loss. */
  constructor({ url, onChange }: RedisLeaseSourceOptions) {
    this.#onChange = onChange;
    this.#client = new Redis(url, {
      lazyConnect: true,
      // Nothing is queued for a Redis that is not there, and nothing is sent twice.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: silenceMilliseconds,
      socketTimeout: silenceMilliseconds,
      retryStrategy: () => reconnectMilliseconds,
      connectionName: 'splwright',
    });
    this.#client.on('error', (error: unknown) => {
      this.#lastReason = reasonOf(error);
    });
    this.#client.on('close', () => this.#lose());
    this.#client.on('ready', () => void this.#tryOut());
  }

  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** Resolves once the first attempt to connect has succeeded or failed; takes a few seconds at most. */
  connect(): Promise<void> {
    // A failure is told by the events that follow it.
    this.#client.connect().catch(() => undefined);
    return this.#firstOutcome.promise;
  }

  async lease(requests: readonly LeaseRequest[]): Promise<readonly Taken[]> {
    try {
      return await this.#run(requests);
    } catch (error) {
      this.#giveUp(error);
      throw error;
    }
  }

  /** Disconnects for good. */
  close(): void {
    this.#isClosed = true;
    this.#client.disconnect();
  }

  // A connection alone proves little: a replica, a full memory or a user without rights refuses the script.
  async #tryOut(): Promise<void> {
    try {
      await this.#run([{ id: 'probe', limit: 1, wanted: 1 }]);
      this.#isReachable = true;
      if (this.#isReportedLost) this.#onChange(true, 'back');
      this.#isReportedLost = false;
      this.#firstOutcome.resolve();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    this.#lastReason = reasonOf(error);
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

  async #run(requests: readonly LeaseRequest[]): Promise<readonly Taken[]> {
    const keys = requests.map(({ id }) => keyPrefix + id);
    const values = requests.flatMap(({ wanted, limit }) => [wanted, limit]);
    const answers = await this.#client.evalsha(scriptHash, keys.length, ...keys, ...values).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
        return this.#client.eval(script, keys.length, ...keys, ...values);
      }
      throw error;
    });
    return requests.map((_, index) => readTaken(answers, 3 * index));
  }
}

function readTaken(answers: unknown, start: number): Taken {
  const [granted, remaining, millisecondsLeft] = Array.isArray(answers) ? answers.slice(start, start + 3) : [];
  if (typeof granted !== 'number' || typeof remaining !== 'number' || typeof millisecondsLeft !== 'number') {
    throw new TypeError('Redis answered the script with something else than numbers');
  }
  return { granted, remaining, millisecondsLeft };
}

// Never the message or the error itself: an error of the client holds the command, which may be AUTH with its password.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.name;
}
