import type { ChainHead } from './chain-head.ts';
import type { ChainObserver } from './chain-observer.ts';
import { accountLimits } from './chain-requests.ts';
import { type ProxySettings, type RpcRequest, RpcTransport } from './rpc-transport.ts';
import { isTooLarge, malformed, tooSlow, UpstreamFault } from './upstream-faults.ts';

/** How to reach an upstream, and what to report to. */
export interface UpstreamConnectionOptions {
  /** The upstream's name in logs, metrics and replies, where its URL must not appear. */
  name: string;
  url: string;
  /** How long one attempt may take. */
  timeoutMs: number;
  proxy?: ProxySettings | undefined;
  head: ChainHead;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

interface SendOptions {
  isVouched?: boolean;
  signal?: AbortSignal | undefined;
}

// When another upstream is asked in parallel: while too few latencies are known, and at the earliest.
const firstHedgeDelayMs = 250;
const minHedgeDelayMs = 10;

// A timeout of a smaller part of the usual time is not counted as a failure of the upstream.
const minBlameFraction = 1 / 4;

/** Sends requests to one upstream, and measures how fast it answers and how far behind it is. */
export class UpstreamConnection {
  readonly #options: UpstreamConnectionOptions;
  readonly #transport: RpcTransport;
  readonly #latencies = new Map<string, LatencyWindow>();
  /** How many accounts it takes in one call, as far as it has refused more. */
  #maxAccounts = Number.POSITIVE_INFINITY;
  #slot: bigint | undefined;
  #lastFault: UpstreamFault | undefined;

  constructor(options: UpstreamConnectionOptions) {
    this.#options = options;
    this.#transport = new RpcTransport(options);
  }

  /** Its latest fault. */
  get lastFault(): UpstreamFault | undefined {
    return this.#lastFault;
  }

  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  get slotLag(): bigint | undefined {
    return this.#slot === undefined ? undefined : this.#options.head.lagOf(this.#slot);
  }

  /** After how long without an answer it is slower than usual. */
  hedgeDelayMs(method: string): number {
    const usualMs = this.#latencies.get(method)?.percentile95 ?? firstHedgeDelayMs;
    return Math.max(usualMs, minHedgeDelayMs);
  }

  /**
   * Sends a request once, for at most `timeoutMs`; an aborted `signal` means that it takes too long. One for more accounts than the
   * upstream takes in a call is sent in parts, at the same time.
   *
   * Throws an `UpstreamFault`, also for an answer of an implausible slot. With `isVouched`, the upstream has just shown which
   * ledger it serves, so that its slot is accepted.
   */
  async send<T>(request: RpcRequest<T>, timeoutMs: number, options: SendOptions = {}): Promise<T> {
    const { parts } = request;
    if (!parts || parts.count <= 1) return this.#sendWhole(request, timeoutMs, options);
    const startedAt = this.#options.now();
    if (parts.count <= this.#maxAccounts) {
      try {
        return await this.#sendWhole(request, timeoutMs, options);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        const fewer = accountLimits.find((limit) => limit < parts.count) ?? 1;
        this.#maxAccounts = Math.min(this.#maxAccounts, fewer);
      }
    }
    const size = this.#maxAccounts;
    const leftMs = timeoutMs - (this.#options.now() - startedAt);
    const slices = Array.from({ length: Math.ceil(parts.count / size) }, (_, index) =>
      parts.slice(index * size, (index + 1) * size),
    );
    return parts.join(await Promise.all(slices.map((slice) => this.send(slice, leftMs, options))));
  }

  async #sendWhole<T>(
    request: RpcRequest<T>,
    timeoutMs: number,
    { isVouched = false, signal }: SendOptions,
  ): Promise<T> {
    const { name, observer, now } = this.#options;
    const startedAt = now();
    try {
      const answer = await this.#transport.call(request, timeoutMs, signal);
      this.#latencyOf(request.method).add(now() - startedAt);
      if (request.slotOf) this.#accept(request.slotOf(answer), isVouched);
      observer.attempted(name, request.method, undefined, now() - startedAt);
      return answer;
    } catch (error) {
      this.#lastFault = this.#asFault(error, timeoutMs);
      observer.attempted(name, request.method, this.#lastFault.kind, now() - startedAt);
      throw this.#lastFault;
    }
  }

  /** Closes the connections once the requests under way have ended. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #accept(slot: bigint, isVouched: boolean): void {
    this.#slot = slot;
    this.#options.head.accept(slot, isVouched, this.#options.name);
  }

  #latencyOf(method: string): LatencyWindow {
    const known = this.#latencies.get(method);
    if (known) return known;
    const window = new LatencyWindow();
    this.#latencies.set(method, window);
    return window;
  }

  #asFault(error: unknown, timeoutMs: number): UpstreamFault {
    if (!(error instanceof UpstreamFault)) return malformed('it cannot be read', error);
    const isHurried = timeoutMs < this.#options.timeoutMs * minBlameFraction;
    return error.kind === 'timeout' && isHurried ? tooSlow('hurried') : error;
  }
}

const windowSize = 64;
const percentile = 0.95;

// How many new samples come between two sorts.
const samplesBetweenSorts = 16;

// The 95th percentile of fewer samples means too little.
const minSamples = 10;

/** The latest latencies of one kind of call, in milliseconds. */
export class LatencyWindow {
  readonly #samples = new Float64Array(windowSize);
  #count = 0;
  #percentile95: number | undefined;

  /** Adds a latency. */
  add(latencyMs: number): void {
    this.#samples[this.#count % windowSize] = latencyMs;
    this.#count += 1;
    if (this.#count === minSamples || this.#count % samplesBetweenSorts === 0) this.#sort();
  }

  /** The latency that 95 of 100 calls do not exceed; `undefined` while there are too few samples. */
  get percentile95(): number | undefined {
    return this.#percentile95;
  }

  #sort(): void {
    const sorted = this.#samples.slice(0, Math.min(this.#count, windowSize)).sort();
    this.#percentile95 = sorted[Math.ceil(sorted.length * percentile) - 1];
  }
}
