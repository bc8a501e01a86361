import { ChainHead } from './chain-head.ts';
import type { Deadline, UpstreamHealth } from './chain-reader.ts';
import { probeRequest } from './chain-requests.ts';
import { Cluster } from './cluster.ts';
import type { ProxySettings, RpcRequest } from './rpc-transport.ts';
import { Upstream, type UpstreamState } from './upstream.ts';
import { type ChainObserver, isRefused, tooSlow, UpstreamFault } from './upstream-faults.ts';

/** How the upstreams are reached. */
export interface UpstreamPoolOptions {
  /** The preferred upstream first, at least one. */
  urls: readonly string[];
  /** How long one attempt may take. */
  timeoutMs: number;
  proxy?: ProxySettings | undefined;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** The state of an upstream, as the service sees it. */
export interface UpstreamStatus {
  name: string;
  state: UpstreamState;
  /** How many slots its last answer was behind the newest one of any upstream; absent before the first. */
  slotLag: bigint | undefined;
}

const lookEveryMs = 1_000;

/** The upstreams of a service, named `upstream_1`, `upstream_2` and so on in the order of their preference. */
export class UpstreamPool {
  /** The newest slot of any upstream. */
  readonly head: ChainHead;
  /** Each upstream by itself, the preferred one first. */
  readonly nodes: readonly UpstreamNode[];
  readonly #upstreams: readonly Upstream[];
  readonly #options: UpstreamPoolOptions;
  #lookedAt: number;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
    const { urls, now } = options;
    this.#lookedAt = now();
    const hasSeveralUpstreams = urls.length > 1;
    this.head = new ChainHead({ hasSeveralUpstreams, now });
    const cluster = hasSeveralUpstreams ? new Cluster() : undefined;
    this.#upstreams = urls.map(
      (url, index) => new Upstream({ ...options, name: `upstream_${index + 1}`, url, head: this.head, cluster }),
    );
    this.nodes = this.#upstreams.map((upstream) => new UpstreamNode(upstream, now));
  }

  /** Sends a request to the preferred usable upstream, and to others when it fails or is slow. Throws an `UpstreamFault`. */
  call<T>(request: RpcRequest<T>, deadline: Deadline): Promise<T> {
    const { observer, now } = this.#options;
    const onHedge = ({ name }: Upstream): void => observer.hedged(name);
    this.#lookAtOthers();
    return callWithFailover(request, { upstreams: this.#upstreams, deadline, onHedge, now });
  }

  // Alone, the preferred one would be believed however far it falls behind: where the chain is, the others show.
  #lookAtOthers(): void {
    const { now, timeoutMs } = this.#options;
    if (now() - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now();
    const [, ...others] = this.#upstreams.filter(({ isUsable }) => isUsable);
    for (const other of others) other.attempt(probeRequest(this.head), timeoutMs).catch(() => undefined);
  }

  /**
   * Compares the ledgers that the upstreams serve. Those that do not answer are reported to the observer and compared later.
   *
   * Throws an `UpstreamFault` of the kind `other_cluster` when two of them serve different ones.
   */
  async compareClusters(): Promise<void> {
    if (this.#upstreams.length === 1) return;
    await Promise.all(
      this.#upstreams.map(async (upstream) => {
        try {
          await upstream.join();
        } catch (error) {
          if (!(error instanceof UpstreamFault) || error.kind === 'other_cluster') throw error;
          this.#options.observer.usageChanged(upstream.name, error);
        }
      }),
    );
  }

  /** The states of the upstreams; sends nothing. */
  get statuses(): readonly UpstreamStatus[] {
    return this.#upstreams.map(({ name, state, slotLag }) => ({ name, state, slotLag }));
  }

  /** Asks every upstream for its health. */
  checkHealth(deadline: Deadline): Promise<readonly UpstreamHealth[]> {
    const timeoutMs = Math.max(0, deadline - this.#options.now());
    return Promise.all(
      this.#upstreams.map(async (upstream) => {
        const fault = await upstream.check(timeoutMs);
        const reason = fault?.reason ?? describeStandstill(this.head);
        return { name: upstream.name, reason, slotLag: upstream.slotLag };
      }),
    );
  }

  /** Closes all connections once the requests under way have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }
}

function describeStandstill({ standstill }: Pick<ChainHead, 'standstill'>): string | undefined {
  if (!standstill) return undefined;
  const seconds = Math.floor(standstill.ms / 1_000);
  return `its newest confirmed slot, ${standstill.slot}, has not moved for ${seconds} s: it hangs, or the cluster confirms no blocks`;
}

/** The upstreams of a call, and its deadline. */
export interface FailoverOptions {
  /** The preferred one first. */
  upstreams: readonly Upstream[];
  deadline: Deadline;
  /** Called for an upstream that is asked because another one is slow to answer. */
  onHedge: (upstream: Upstream) => void;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// When there is no answer after this time, another upstream is asked as well. The time doubles with each that is asked so.
const hedgeAfterMs = 250;

// How long what is slower than its hedge may go on: each holds a connection. Then it counts as a failure.
const slowerMs = 250;

// How often one upstream is tried for one call. The pause before it is tried again is this long times its tries.
const maxTries = 3;
const retryPauseMs = 40;

// How long a call waits for an upstream to become usable before it fails, and how often it looks.
const revivalWaitMs = 1_000;
const revivalPauseMs = 10;

// The longest time of a timer.
const maxTimerMs = 2 ** 31 - 1;

/**
 * Sends a request to the first usable upstream, to the next one when it fails, and to another one beside it when it is slow.
 *
 * Resolves with the first answer. Throws an `UpstreamFault`: the last one at the deadline, when all have failed three times or
 * refused the call, or when none is usable for a second.
 */
export function callWithFailover<T>(request: RpcRequest<T>, options: FailoverOptions): Promise<T> {
  return new FailoverCall(request, options).run();
}

interface Tried {
  count: number;
  /** How many of its attempts have not ended. */
  running: number;
  /** When it may be tried again after a failure. */
  retryAt: number;
}

const untried: Tried = { count: 0, running: 0, retryAt: 0 };

class FailoverCall<T> {
  readonly #request: RpcRequest<T>;
  readonly #options: FailoverOptions;
  readonly #tried = new Map<Upstream, Tried>();
  #running = 0;
  #hedges = 0;
  #hedgeAt = 0;
  #waitUntil: number | undefined;
  #answer: { value: T } | undefined;
  readonly #abortion = new AbortController();
  #fault: unknown;
  #wake = Promise.withResolvers<void>();

  constructor(request: RpcRequest<T>, options: FailoverOptions) {
    this.#request = request;
    this.#options = options;
  }

  async run(): Promise<T> {
    const { upstreams, deadline, now } = this.#options;
    // Every call also has the unusable ones probed.
    for (const upstream of upstreams) if (!upstream.isUsable) void upstream.revive();
    while (!this.#answer) {
      if (now() >= deadline) throw this.#lastFault();
      const next = this.#next();
      const dueAt = next ? this.#dueAt(next) : this.#lookAgainAt();
      if (dueAt === undefined) throw this.#lastFault();
      if (next && dueAt <= now()) this.#start(next);
      else await this.#wait(Math.min(dueAt, deadline) - now());
    }
    return this.#answer.value;
  }

  // While none is usable none is tried: what the preferred one failed for is the reason.
  #lastFault(): unknown {
    const earlier = this.#running === 0 ? this.#options.upstreams[0]?.lastFault : undefined;
    return this.#fault ?? earlier ?? tooSlow();
  }

  #triedOf(upstream: Upstream): Tried {
    return this.#tried.get(upstream) ?? untried;
  }

  /** The preferred one of the usable upstreams, after those that are not being asked and those that were tried less often. */
  #next(): Upstream | undefined {
    const usable = this.#options.upstreams.filter((each) => each.isUsable && this.#triedOf(each).count < maxTries);
    return usable.sort((a, b) => {
      const [one, other] = [this.#triedOf(a), this.#triedOf(b)];
      return one.running - other.running || one.count - other.count;
    })[0];
  }

  /** When the next upstream is to be asked: in the place of one that failed, or beside those that are slow. */
  #dueAt(next: Upstream): number {
    const { running, retryAt } = this.#triedOf(next);
    if (running === 0 && this.#running <= this.#hedges) return retryAt;
    // A single slow upstream gets no duplicate requests.
    return this.#options.upstreams.length === 1 ? Number.POSITIVE_INFINITY : Math.max(retryAt, this.#hedgeAt);
  }

  #start(upstream: Upstream): void {
    const { upstreams, deadline, onHedge, now } = this.#options;
    if (this.#running > this.#hedges) {
      this.#hedges += 1;
      onHedge(upstream);
    }
    const { count, running, retryAt } = this.#triedOf(upstream);
    this.#tried.set(upstream, { count: count + 1, running: running + 1, retryAt });
    this.#running += 1;
    this.#hedgeAt = now() + hedgeAfterMs * 2 ** this.#hedges;
    // The upstreams that were not tried yet keep their share of the time.
    const others = upstreams.filter((other) => other.isUsable && !this.#tried.has(other)).length;
    const attempt = upstream.attempt(this.#request, (deadline - now()) / (others + 1), this.#abortion.signal);
    attempt.then(
      (value) => this.#noteAnswer(value),
      (fault: unknown) => this.#noteFault(upstream, fault),
    );
  }

  #noteAnswer(value: T): void {
    this.#running -= 1;
    this.#answer ??= { value };
    if (this.#running > 0) setTimeout(() => this.#abortion.abort(), slowerMs).unref();
    this.#wake.resolve();
  }

  #noteFault(upstream: Upstream, fault: unknown): void {
    this.#fault = fault;
    this.#running -= 1;
    const tried = this.#triedOf(upstream);
    const count = isRefused(fault) ? maxTries : tried.count;
    const retryAt = this.#options.now() + tried.count * retryPauseMs;
    this.#tried.set(upstream, { count, running: Math.max(0, tried.running - 1), retryAt });
    this.#wake.resolve();
  }

  /** When to look for an upstream that can be asked, while there is none; `undefined`: there will be none. */
  #lookAgainAt(): number | undefined {
    const { upstreams, deadline, now } = this.#options;
    this.#waitUntil ??= Math.min(deadline, now() + revivalWaitMs);
    const limit = this.#running > 0 ? deadline : this.#waitUntil;
    const awaited = upstreams.filter(({ isUsable, probeDueAt }) => !isUsable && probeDueAt < limit);
    for (const upstream of awaited) {
      this.#tried.delete(upstream);
      void upstream.revive();
    }
    if (awaited.length > 0 && now() < limit) return now() + revivalPauseMs;
    return this.#running > 0 ? deadline : undefined;
  }

  /** Waits until an attempt ends, or for this time. */
  async #wait(durationMs: number): Promise<void> {
    this.#wake = Promise.withResolvers();
    const timer = setTimeout(this.#wake.resolve, Math.min(durationMs, maxTimerMs));
    await this.#wake.promise;
    clearTimeout(timer);
  }
}

/** One upstream, called by itself: no other one answers for it. */
export class UpstreamNode {
  readonly #upstream: Upstream;
  readonly #now: () => number;

  /** `now` is the monotonic clock in milliseconds. */
  constructor(upstream: Upstream, now: () => number) {
    this.#upstream = upstream;
    this.#now = now;
  }

  /** `upstream_1`, `upstream_2` and so on. */
  get name(): string {
    return this.#upstream.name;
  }

  /** Whether requests may be sent to it now. */
  get isUsable(): boolean {
    return this.#upstream.isUsable;
  }

  /**
   * Sends a request, up to three times unless the upstream refuses it. One that is not usable is waited for, a second at most.
   *
   * Throws an `UpstreamFault`.
   */
  call<T>(request: RpcRequest<T>, deadline: Deadline): Promise<T> {
    const upstreams = [this.#upstream];
    return callWithFailover(request, { upstreams, deadline, onHedge: () => undefined, now: this.#now });
  }
}
