import { setTimeout as sleep } from 'node:timers/promises';
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { genesisHashRequest, healthRequest, probeRequest } from './chain-requests.ts';
import type { Cluster } from './cluster.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { UpstreamConnection, type UpstreamConnectionOptions } from './upstream-connection.ts';
import { blamesUpstream, malformed, UpstreamFault } from './upstream-faults.ts';

/** What an upstream is made of. */
export interface UpstreamOptions extends UpstreamConnectionOptions {
  /** The ledger that it must serve; absent where there is no other upstream to compare it with. */
  cluster: Cluster | undefined;
}

/** Whether requests are sent to an upstream; `half_open` while a probe decides it, `foreign` when it serves another ledger. */
export type UpstreamState = 'closed' | 'open' | 'half_open' | 'foreign';

// So many failures in a row, and it is not used until a probe succeeds.
const failuresToBreak = 5;

// In milliseconds: the pauses between probes double from the first to the last. Who limits our rate is given longer ones.
const usualPauses = { first: 250, last: 500 };
const rateLimitPauses = { first: 1_000, last: 5_000 };

// In milliseconds: how long a probe may take, unless the upstream is usually slower.
const usualProbe = 1_000;

// In milliseconds: a probe that is not answered for so long is sent again beside. A node that hung may be well now, and never
// answer what it was asked before.
const probeInterval = 250;

// In milliseconds: how often an upstream in use is asked which ledger it serves.
const clusterCheckInterval = 30_000;

// In milliseconds: how often one that serves another ledger is asked whether it still does.
const foreignPause = 30_000;

/** One upstream and whether it is fit for use: it works, and it serves the same ledger as the others. */
export class Upstream {
  readonly name: string;
  readonly #connection: UpstreamConnection;
  readonly #options: UpstreamOptions;
  readonly #closing = new AbortController();
  // To the breaker a probe is always due: when it is, is decided here, by a clock that nobody sets.
  readonly #breaker = circuitBreaker(handleWhen(blamesUpstream), {
    breaker: new ConsecutiveBreaker(failuresToBreak),
    halfOpenAfter: Number.NEGATIVE_INFINITY,
  });
  #joinedAt: number | undefined;
  /** That it serves another ledger, as long as it does. */
  #foreign: UpstreamFault | undefined;
  #failedProbes = 0;
  #probeDueAt = Number.NEGATIVE_INFINITY;
  #revival: Promise<boolean> | undefined;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.#connection = new UpstreamConnection(options);
    if (!options.cluster) this.#joinedAt = Number.POSITIVE_INFINITY;
    this.#breaker.onBreak(() => {
      if (!this.#revival) this.#leave();
    });
  }

  /** Whether requests may be sent to it. */
  get isUsable(): boolean {
    return this.#joinedAt !== undefined && this.#breaker.state === CircuitState.Closed;
  }

  /** Whether requests are sent to it, and why not. */
  get state(): UpstreamState {
    if (this.#foreign) return 'foreign';
    if (this.#breaker.state === CircuitState.HalfOpen) return 'half_open';
    return this.isUsable ? 'closed' : 'open';
  }

  /** From when on it may be tried again, while it is not usable. */
  get probeDueAt(): number {
    return this.#probeDueAt;
  }

  /** What it did wrong last. */
  get lastFault(): UpstreamFault | undefined {
    return this.#foreign ?? this.#connection.lastFault;
  }

  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  get slotLag(): bigint | undefined {
    return this.#connection.slotLag;
  }

  /** After how many milliseconds without an answer it is slower than usual. */
  hedgeDelay(method: string): number {
    return this.#connection.hedgeDelay(method);
  }

  /**
   * Sends a request once, within so many milliseconds and until `signal` says that it takes too long.
   *
   * Throws an `UpstreamFault`, by which it is judged.
   */
  async attempt<T>(request: RpcRequest<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
    const { now } = this.#options;
    if (this.#joinedAt !== undefined && now() - this.#joinedAt > clusterCheckInterval) {
      this.#joinedAt = now();
      this.join().catch(() => undefined);
    }
    try {
      return await this.#breaker.execute(() => this.#connection.send(request, milliseconds, { signal }));
    } catch (error) {
      const isDoubtful = error instanceof UpstreamFault && error.kind === 'implausible';
      if (isDoubtful && this.isUsable) this.#leave();
      throw error;
    }
  }

  /** Makes sure that it serves the same ledger as the others. Throws an `UpstreamFault` when it does not, or does not tell. */
  async join(): Promise<void> {
    const { cluster, timeoutMilliseconds, now, observer } = this.#options;
    if (!cluster) return;
    try {
      cluster.admit(await this.#connection.send(genesisHashRequest, timeoutMilliseconds));
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === 'other_cluster') {
        this.#foreign = error;
        this.#joinedAt = undefined;
        this.#probeDueAt = now() + foreignPause;
        observer.usageChanged(this.name, error);
      }
      // A node that does not take the question cannot be compared.
      if (error.kind !== 'refused') throw error;
    }
    this.#foreign = undefined;
    this.#joinedAt = now();
  }

  /** Resolves when the next probe is over, with whether the upstream is usable then. One probe serves all who wait for it. */
  revive(): Promise<boolean> {
    if (this.isUsable) return Promise.resolve(true);
    this.#revival ??= this.#probe().finally(() => {
      this.#revival = undefined;
    });
    return this.#revival;
  }

  /** Asks it for its health and for its slot, whatever is held of it. Resolves with what is wrong, if anything is. */
  async check(milliseconds: number): Promise<UpstreamFault | undefined> {
    if (this.#foreign) return this.#foreign;
    const { lastFault } = this.#connection;
    // Whoever limits our rate is not asked how it is.
    if (lastFault?.kind === 'rate_limited' && this.#options.now() < this.#probeDueAt) return lastFault;
    try {
      if (this.#joinedAt === undefined) await this.join();
      await Promise.all([this.#assertHealthy(milliseconds), this.#assertServing(milliseconds)]);
    } catch (error) {
      return error instanceof UpstreamFault ? error : malformed('it cannot be read', error);
    }
    void this.revive();
    return undefined;
  }

  /** Closes the connections, once what is under way has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.close();
  }

  async #probe(): Promise<boolean> {
    const { observer, now } = this.#options;
    const { signal } = this.#closing;
    await sleep(Math.max(0, this.#probeDueAt - now()), undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return false;
    const startedAt = now();
    try {
      await this.#breaker.execute(() => this.#assertFitNow());
      this.#failedProbes = 0;
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
      isFit = await Promise.race([...probes, sleep(probeInterval, false, { signal, ref: false })]);
    }
  }

  async #assertFit(): Promise<void> {
    const isVouched = this.#joinedAt === undefined;
    if (isVouched) await this.join();
    await this.#assertServing(this.#options.timeoutMilliseconds, isVouched);
  }

  async #assertServing(longest: number, isVouched = false): Promise<void> {
    const request = probeRequest(this.#options.head);
    const usual = Math.max(usualProbe, 2 * this.#connection.hedgeDelay(request.method));
    await this.#connection.send(request, Math.min(usual, longest), { isVouched });
  }

  async #assertHealthy(milliseconds: number): Promise<void> {
    try {
      await this.#connection.send(healthRequest, milliseconds);
    } catch (error) {
      // Some providers do not take the question.
      if (!(error instanceof UpstreamFault) || error.kind !== 'refused') throw error;
    }
  }

  // Whatever comes back at this address may be another ledger.
  #leave(): void {
    if (this.#options.cluster) this.#joinedAt = undefined;
    this.#failedProbes = 0;
    this.#postponeProbe(this.#options.now());
    this.#options.observer.usageChanged(this.name, this.#connection.lastFault);
  }

  #postponeProbe(since: number): void {
    if (this.#foreign) return;
    const fault = this.#connection.lastFault;
    const { first, last } = fault?.kind === 'rate_limited' ? rateLimitPauses : usualPauses;
    const pause = Math.min(first * 2 ** this.#failedProbes, last);
    this.#failedProbes += 1;
    this.#probeDueAt = since + Math.max(pause, fault?.restMilliseconds ?? 0);
  }
}
