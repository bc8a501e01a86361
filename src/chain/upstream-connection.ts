import type { ChainHead } from './chain-head.ts';
import type { ChainObserver } from './chain-observer.ts';
import { LatencyWindow } from './latency-window.ts';
import { type RpcRequest, RpcTransport } from './rpc-transport.ts';
import { malformed, tooSlow, UpstreamFault } from './upstream-faults.ts';

/** What a connection to an upstream is made of. */
export interface UpstreamConnectionOptions {
  /** What the upstream is called outside, where its URL must not be seen. */
  name: string;
  url: string;
  /** The longest that one attempt may take, in milliseconds. */
  timeoutMilliseconds: number;
  head: ChainHead;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// In milliseconds: when another upstream is asked too, while little is known of this one's latencies, and never sooner.
const firstHedgeDelay = 250;
const shortestHedgeDelay = 10;

// Whoever is given a smaller part of the usual time and does not answer within it is not to blame.
const fairPartOfTimeout = 1 / 4;

/** Sends requests to one upstream, and knows how fast it answers, how far behind it is, and what it did wrong last. */
export class UpstreamConnection {
  readonly #options: UpstreamConnectionOptions;
  readonly #transport: RpcTransport;
  readonly #latencies = new Map<string, LatencyWindow>();
  #slot: bigint | undefined;
  #lastFault: UpstreamFault | undefined;

  constructor(options: UpstreamConnectionOptions) {
    this.#options = options;
    this.#transport = new RpcTransport(options);
  }

  /** What it did wrong last. */
  get lastFault(): UpstreamFault | undefined {
    return this.#lastFault;
  }

  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  get slotLag(): bigint | undefined {
    return this.#slot === undefined ? undefined : this.#options.head.lagOf(this.#slot);
  }

  /** After how many milliseconds without an answer it is slower than usual. */
  hedgeDelay(method: string): number {
    const usual = this.#latencies.get(method)?.percentile95 ?? firstHedgeDelay;
    return Math.max(usual, shortestHedgeDelay);
  }

  /**
   * Sends a request once, within so many milliseconds.
   *
   * `isVouched` says that the upstream has just shown which ledger it serves; `signal`, that the request takes too long.
   *
   * Throws an `UpstreamFault`, also for an answer of a slot that is not believed.
   */
  async send<T>(
    request: RpcRequest<T>,
    milliseconds: number,
    { isVouched = false, signal }: { isVouched?: boolean; signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    const { name, observer, now } = this.#options;
    const startedAt = now();
    try {
      const answer = await this.#transport.call(request, milliseconds, signal);
      this.#latencyOf(request.method).add(now() - startedAt);
      if (request.slotOf) this.#accept(request.slotOf(answer), isVouched);
      observer.attempted(name, request.method, undefined, now() - startedAt);
      return answer;
    } catch (error) {
      this.#lastFault = this.#asFault(error, milliseconds);
      observer.attempted(name, request.method, this.#lastFault.kind, now() - startedAt);
      throw this.#lastFault;
    }
  }

  /** Closes the connections, once what is under way has ended. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #accept(slot: bigint, isVouched: boolean): void {
    this.#slot = slot;
    this.#options.head.accept(slot, isVouched);
  }

  #latencyOf(method: string): LatencyWindow {
    const known = this.#latencies.get(method);
    if (known) return known;
    const window = new LatencyWindow();
    this.#latencies.set(method, window);
    return window;
  }

  #asFault(error: unknown, milliseconds: number): UpstreamFault {
    if (!(error instanceof UpstreamFault)) return malformed('it cannot be read', error);
    const isHurried = milliseconds < this.#options.timeoutMilliseconds * fairPartOfTimeout;
    return error.kind === 'timeout' && isHurried ? tooSlow('hurried') : error;
  }
}
