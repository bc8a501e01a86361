import { setTimeout as sleep } from 'node:timers/promises';
import { Breaker, type BreakerState, ProbeSchedule } from './breaker.ts';
import { genesisHashRequest, healthRequest, probeRequest } from './chain-requests.ts';
import { type Cluster, ClusterMembership } from './cluster.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { UpstreamConnection, type UpstreamConnectionOptions } from './upstream-connection.ts';
import { blamesUpstream, malformed, UpstreamFault } from './upstream-faults.ts';

/** How to reach one upstream, and what to compare it with. */
export interface UpstreamOptions extends UpstreamConnectionOptions {
  /** The ledger that it must serve; absent where there is no other upstream to compare it with. */
  cluster: Cluster | undefined;
}

/** The state of its breaker, or `foreign` when it serves another ledger than the others. */
export type UpstreamState = BreakerState | 'foreign';

// After this many failures in a row an upstream is not used until a probe succeeds.
const maxFailures = 5;

// How long a probe may take, unless the upstream is usually slower.
const usualProbeTimeoutMs = 1_000;

// A node that hung may work again and still never answer what it was asked before: after this a probe is sent a second time.
const probeRepeatMs = 250;

// How often an upstream that serves another ledger is asked whether it still does.
const foreignPauseMs = 30_000;

/** One upstream, and whether it is usable: it works, and it serves the same ledger as the others. */
export class Upstream {
  readonly name: string;
  readonly #connection: UpstreamConnection;
  readonly #options: UpstreamOptions;
  readonly #closing = new AbortController();
  readonly #breaker = new Breaker(maxFailures);
  readonly #probes = new ProbeSchedule();
  readonly #membership: ClusterMembership;
  #revival: Promise<boolean> | undefined;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.#connection = new UpstreamConnection(options);
    this.#membership = new ClusterMembership(options.cluster);
  }

  /** Whether requests may be sent to it. */
  get isUsable(): boolean {
    return this.#membership.isJoined && this.#breaker.state === 'closed';
  }

  /** Whether requests are sent to it, and why not. */
  get state(): UpstreamState {
    if (this.#membership.fault) return 'foreign';
    if (this.#breaker.state === 'half_open') return 'half_open';
    return this.isUsable ? 'closed' : 'open';
  }

  /** From when on it may be probed, while it is not usable. */
  get probeDueAt(): number {
    return this.#probes.dueAt;
  }

  /** Its latest fault. */
  get lastFault(): UpstreamFault | undefined {
    return this.#membership.fault ?? this.#connection.lastFault;
  }

  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  get slotLag(): bigint | undefined {
    return this.#connection.slotLag;
  }

  /** After how long without an answer it is slower than usual. */
  hedgeDelayMs(method: string): number {
    return this.#connection.hedgeDelayMs(method);
  }

  /**
   * Sends a request once, for at most `timeoutMs`; an aborted `signal` means that it takes too long.
   *
   * Throws an `UpstreamFault`. Failures that are the upstream's fault count towards opening its breaker.
   */
  async attempt<T>(request: RpcRequest<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
    if (this.#membership.takeCheck(this.#options.now())) this.join().catch(() => undefined);
    try {
      const answer = await this.#connection.send(request, timeoutMs, { signal });
      this.#breaker.succeeded();
      return answer;
    } catch (error) {
      const hasOpened = blamesUpstream(error) && this.#breaker.failed();
      const isImplausible = error instanceof UpstreamFault && error.kind === 'implausible';
      if (hasOpened ? !this.#revival : isImplausible && this.isUsable) this.#leave();
      throw error;
    }
  }

  /** Makes sure that it serves the same ledger as the others. Throws an `UpstreamFault` when it does not, or does not tell. */
  async join(): Promise<void> {
    const { timeoutMs, now, observer } = this.#options;
    const { cluster } = this.#membership;
    if (!cluster) return;
    try {
      cluster.admit(await this.#connection.send(genesisHashRequest, timeoutMs));
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === 'other_cluster') {
        this.#membership.reject(error);
        this.#probes.postponeUntil(now() + foreignPauseMs);
        observer.usageChanged(this.name, error);
      }
      // A node that refuses the question cannot be compared.
      if (error.kind !== 'refused') throw error;
    }
    this.#membership.join(now());
  }

  /** Resolves when the next probe is over, with whether the upstream is usable then. One probe serves all callers. */
  revive(): Promise<boolean> {
    if (this.isUsable) return Promise.resolve(true);
    this.#revival ??= this.#probe().finally(() => {
      this.#revival = undefined;
    });
    return this.#revival;
  }

  /** Asks it for its health and its slot, whatever its state is. Resolves with its fault when it has one, otherwise `undefined`. */
  async check(timeoutMs: number): Promise<UpstreamFault | undefined> {
    if (this.#membership.fault) return this.#membership.fault;
    const { lastFault } = this.#connection;
    // An upstream that limits our rate is not sent health checks as well.
    if (lastFault?.kind === 'rate_limited' && this.#options.now() < this.probeDueAt) return lastFault;
    try {
      if (!this.#membership.isJoined) await this.join();
      await Promise.all([this.#assertHealthy(timeoutMs), this.#assertServing(timeoutMs)]);
    } catch (error) {
      return error instanceof UpstreamFault ? error : malformed('it cannot be read', error);
    }
    void this.revive();
    return undefined;
  }

  /** Closes the connections once the requests under way have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.close();
  }

  async #probe(): Promise<boolean> {
    const { observer, now } = this.#options;
    const { signal } = this.#closing;
    await sleep(Math.max(0, this.probeDueAt - now()), undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return false;
    const startedAt = now();
    try {
      await this.#breaker.probe(() => this.#assertFitNow());
      this.#probes.reset();
      observer.usageChanged(this.name, undefined);
    } catch {
      this.#postponeProbe(startedAt);
    }
    return this.isUsable;
  }

  async #assertFitNow(): Promise<void> {
    const { signal } = this.#closing;
    const probes: Promise<boolean>[] = [];
    for (let isFit = false; !isFit; ) {
      probes.push(this.#assertFit().then(() => true));
      isFit = await Promise.race([...probes, sleep(probeRepeatMs, false, { signal, ref: false })]);
    }
  }

  async #assertFit(): Promise<void> {
    const isVouched = !this.#membership.isJoined;
    if (isVouched) await this.join();
    await this.#assertServing(this.#options.timeoutMs, isVouched);
  }

  async #assertServing(timeoutMs: number, isVouched = false): Promise<void> {
    const request = probeRequest(this.#options.head);
    const usualMs = Math.max(usualProbeTimeoutMs, 2 * this.hedgeDelayMs(request.method));
    await this.#connection.send(request, Math.min(usualMs, timeoutMs), { isVouched });
  }

  async #assertHealthy(timeoutMs: number): Promise<void> {
    try {
      await this.#connection.send(healthRequest, timeoutMs);
    } catch (error) {
      // Some providers do not offer the method.
      if (!(error instanceof UpstreamFault) || error.kind !== 'refused') throw error;
    }
  }

  // The address may lead to another ledger when the upstream answers again, so it must join again.
  #leave(): void {
    this.#membership.leave();
    this.#probes.reset();
    this.#postponeProbe(this.#options.now());
    this.#options.observer.usageChanged(this.name, this.#connection.lastFault);
  }

  #postponeProbe(since: number): void {
    if (!this.#membership.fault) this.#probes.postpone(since, this.#connection.lastFault);
  }
}
