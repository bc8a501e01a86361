import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainHead } from './chain-head.ts';
import { accountLimits, genesisHashRequest, healthRequest, probeRequest } from './chain-requests.ts';
import type { Cluster } from './cluster.ts';
import { type ProxySettings, type RpcRequest, RpcTransport } from './rpc-transport.ts';
import {
  blamesUpstream,
  type ChainObserver,
  isTooLarge,
  malformed,
  tooSlow,
  UpstreamFault,
} from './upstream-faults.ts';

/** How to reach one upstream, and what to compare it with. */
export interface UpstreamOptions {
  /** The upstream's name in logs, metrics and replies, where its URL must not appear. */
  name: string;
  url: string;
  /** How long one attempt may take. */
  timeoutMs: number;
  proxy?: ProxySettings | undefined;
  head: ChainHead;
  /** The cluster that all upstreams must serve; absent where there is no other upstream to compare with. */
  cluster: Cluster | undefined;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** `closed` (used), `open` (not used), `half_open` (not used, and being probed) or `foreign` (it serves another cluster). */
export type UpstreamState = 'closed' | 'open' | 'half_open' | 'foreign';

// After this many failures in a row an upstream is not used until a probe succeeds.
const maxFailures = 5;

// A timeout of a smaller part of the usual time is not counted as a failure of the upstream.
const minBlameFraction = 1 / 4;

// From the beginning of one probe to that of the next. An upstream that limits our rate is given a longer rest.
const probePauseMs = 250;
const rateLimitPauseMs = 2_000;
const foreignPauseMs = 30_000;

// A node that hung may work again and still never answer what it was asked before: after this a probe is sent a second time.
const probeRepeatMs = 250;

// How often an upstream in use is asked which cluster it serves.
const clusterCheckMs = 30_000;

/**
 * One upstream, with a circuit breaker: it is usable until it fails five times in a row, or serves another cluster, and again
 * when a probe succeeds.
 */
export class Upstream {
  readonly name: string;
  readonly #options: UpstreamOptions;
  readonly #transport: RpcTransport;
  readonly #closing = new AbortController();
  /** How many accounts it takes in one call, as far as it has refused more. */
  #maxAccounts = Number.POSITIVE_INFINITY;
  #slot: bigint | undefined;
  #lastFault: UpstreamFault | undefined;
  #isUsable: boolean;
  /** Failures since the last success. */
  #failures = 0;
  #succeededAt = Number.NEGATIVE_INFINITY;
  /** Set while it serves another cluster. */
  #foreignFault: UpstreamFault | undefined;
  #comparedAt = Number.NEGATIVE_INFINITY;
  #comparison: Promise<void> | undefined;
  #revival: Promise<boolean> | undefined;
  #isProbing = false;
  #probeDueAt = Number.NEGATIVE_INFINITY;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.#transport = new RpcTransport(options);
    // Where there are several, it is compared with the others before it is used.
    this.#isUsable = options.cluster === undefined;
  }

  /** Whether requests may be sent to it. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Whether requests are sent to it, and why not. */
  get state(): UpstreamState {
    if (this.#isUsable) return 'closed';
    if (this.#foreignFault) return 'foreign';
    return this.#isProbing ? 'half_open' : 'open';
  }

  /** From when on it may be probed, while it is not usable. */
  get probeDueAt(): number {
    return this.#probeDueAt;
  }

  /** Its latest fault. */
  get lastFault(): UpstreamFault | undefined {
    return this.#foreignFault ?? this.#lastFault;
  }

  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  get slotLag(): bigint | undefined {
    return this.#slot === undefined ? undefined : this.#options.head.lagOf(this.#slot);
  }

  /**
   * Sends a request once, for at most `timeoutMs`; an aborted `signal` means that it takes too long. Throws an `UpstreamFault`.
   *
   * Failures that are the upstream's fault count towards opening its breaker, unless it has answered since they began.
   */
  async attempt<T>(request: RpcRequest<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
    const { now } = this.#options;
    const startedAt = now();
    if (this.#options.cluster && startedAt - this.#comparedAt > clusterCheckMs)
      this.#compareCluster().catch(() => undefined);
    try {
      const answer = await this.#send(request, timeoutMs, signal);
      this.#failures = 0;
      this.#succeededAt = now();
      return answer;
    } catch (error) {
      if (blamesUpstream(error) && startedAt >= this.#succeededAt) this.#countFailure();
      throw error;
    }
  }

  /** Makes sure that it serves the same cluster as the others. Throws an `UpstreamFault` when it does not, or does not tell. */
  async join(): Promise<void> {
    await this.#compareCluster();
    this.#isUsable = true;
  }

  /** Resolves with whether it is usable: at once, or after the next probe, which all callers share. */
  async revive(): Promise<boolean> {
    if (this.#isUsable) return true;
    this.#revival ??= this.#probe().finally(() => {
      this.#revival = undefined;
    });
    return this.#revival;
  }

  /** Asks it for its health and its slot, whatever its state is. Resolves with its fault; with `undefined` when it has none. */
  async check(timeoutMs: number): Promise<UpstreamFault | undefined> {
    if (this.#foreignFault) return this.#foreignFault;
    // An upstream that limits our rate is not sent health checks as well.
    const isResting = this.#options.now() < this.#probeDueAt;
    if (this.#lastFault?.kind === 'rate_limited' && isResting) return this.#lastFault;
    try {
      if (!this.#isUsable) await this.#compareCluster();
      await Promise.all([this.#assertHealthy(timeoutMs), this.#send(probeRequest(this.#options.head), timeoutMs)]);
    } catch (error) {
      return error instanceof UpstreamFault ? error : malformed('it cannot be read', error);
    }
    this.#use();
    return undefined;
  }

  /** Closes the connections once the requests under way have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#transport.close();
  }

  /** Sends a request for more accounts than it takes in a call in parts, at the same time. */
  async #send<T>(request: RpcRequest<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
    const { parts } = request;
    if (!parts || parts.count <= 1) return this.#sendWhole(request, timeoutMs, signal);
    const startedAt = this.#options.now();
    if (parts.count <= this.#maxAccounts) {
      try {
        return await this.#sendWhole(request, timeoutMs, signal);
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
    return parts.join(await Promise.all(slices.map((slice) => this.#send(slice, leftMs, signal))));
  }

  async #sendWhole<T>(request: RpcRequest<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
    const { observer, now } = this.#options;
    const startedAt = now();
    try {
      const answer = await this.#transport.call(request, timeoutMs, signal);
      if (request.slotOf) await this.#accept(request.slotOf(answer));
      observer.attempted(this.name, request.method, undefined, now() - startedAt);
      return answer;
    } catch (error) {
      this.#lastFault = this.#asFault(error, timeoutMs);
      observer.attempted(this.name, request.method, this.#lastFault.kind, now() - startedAt);
      throw this.#lastFault;
    }
  }

  async #accept(slot: bigint): Promise<void> {
    const { head } = this.#options;
    this.#slot = slot;
    head.assertRecent(slot);
    if (!head.canFollow(slot)) await this.#compareCluster();
    head.note(slot);
  }

  #asFault(error: unknown, timeoutMs: number): UpstreamFault {
    if (!(error instanceof UpstreamFault)) return malformed('it cannot be read', error);
    const isHurried = timeoutMs < this.#options.timeoutMs * minBlameFraction;
    return error.kind === 'timeout' && isHurried ? tooSlow('hurried') : error;
  }

  #countFailure(): void {
    this.#failures += 1;
    if (this.#isUsable && this.#failures >= maxFailures) this.#leave(this.#lastFault);
  }

  #use(): void {
    if (this.#isUsable) return;
    this.#failures = 0;
    this.#isUsable = true;
    this.#options.observer.usageChanged(this.name, undefined);
  }

  #leave(fault: UpstreamFault | undefined): void {
    this.#isUsable = false;
    this.#postponeProbe(this.#options.now());
    this.#options.observer.usageChanged(this.name, fault);
  }

  #compareCluster(): Promise<void> {
    this.#comparison ??= this.#askForCluster().finally(() => {
      this.#comparison = undefined;
    });
    return this.#comparison;
  }

  async #askForCluster(): Promise<void> {
    const { cluster, timeoutMs, now } = this.#options;
    if (!cluster) return;
    this.#comparedAt = now();
    try {
      cluster.admit(await this.#sendWhole(genesisHashRequest, timeoutMs));
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === 'other_cluster') {
        this.#foreignFault = error;
        this.#leave(error);
      }
      // A node that refuses the question cannot be compared.
      if (error.kind !== 'refused') throw error;
    }
    this.#foreignFault = undefined;
  }

  async #probe(): Promise<boolean> {
    const { now } = this.#options;
    const { signal } = this.#closing;
    await sleep(Math.max(0, this.#probeDueAt - now()), undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return false;
    const startedAt = now();
    this.#isProbing = true;
    try {
      const probes: Promise<boolean>[] = [];
      for (let isFit = false; !isFit; ) {
        probes.push(this.#assertFit().then(() => true));
        isFit = await Promise.race([...probes, sleep(probeRepeatMs, false, { signal, ref: false })]);
      }
      this.#use();
    } catch {
      this.#postponeProbe(startedAt);
    } finally {
      this.#isProbing = false;
    }
    return this.#isUsable;
  }

  async #assertFit(): Promise<void> {
    const { head, timeoutMs } = this.#options;
    await this.#askForCluster();
    await this.#send(probeRequest(head), timeoutMs);
  }

  #postponeProbe(since: number): void {
    const usualMs = this.#lastFault?.kind === 'rate_limited' ? rateLimitPauseMs : probePauseMs;
    const pauseMs = this.#foreignFault ? foreignPauseMs : Math.max(usualMs, this.#lastFault?.restMs ?? 0);
    this.#probeDueAt = since + pauseMs;
  }

  async #assertHealthy(timeoutMs: number): Promise<void> {
    try {
      await this.#sendWhole(healthRequest, timeoutMs);
    } catch (error) {
      // Some providers do not offer the method.
      if (!(error instanceof UpstreamFault) || error.kind !== 'refused') throw error;
    }
  }
}
