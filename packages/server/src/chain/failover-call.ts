import type { Deadline } from './chain-reader.ts';
import type { RpcRequest } from './rpc-transport.ts';
import type { Upstream } from './upstream.ts';
import { isRefused, tooSlow } from './upstream-faults.ts';

/** The upstreams of a call, and its deadline. */
export interface FailoverOptions {
  /** The preferred one first. */
  upstreams: readonly Upstream[];
  deadline: Deadline;
  /** Called for an upstream that is asked because others are slow to answer. */
  onHedge: (upstream: Upstream) => void;
  /** Whether a fault ends the call at once; by default none does. */
  isFinal?: (fault: unknown) => boolean;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// How often one upstream is tried for one call. The pause before it is tried again is this long times its tries.
const maxTries = 3;
const retryPauseMs = 40;

// An attempt that takes this long, and twice as long as usual, may never be answered: a node that hung loses its requests. It
// goes on until another one answers; when no other upstream is left, the same ones are asked again in parallel.
const attemptPresumedLostMs = 500;

// How long a call waits for an upstream to become usable before it fails.
const revivalWaitMs = 1_000;

/**
 * Sends a request to the first upstream that is usable, and to the next one when it fails or is slower than usual.
 *
 * Resolves with the first good answer. Throws the `UpstreamFault` of the last attempt at the deadline, or when no upstream is
 * usable for a second.
 */
export function callWithFailover<T>(request: RpcRequest<T>, options: FailoverOptions): Promise<T> {
  return new Promise((resolve, reject) => new FailoverCall(request, options, resolve, reject).advance());
}

interface Attempt {
  upstream: Upstream;
  /** From when on it counts as lost, and may be repeated. */
  presumedLostAt: number;
  abortion: AbortController;
}

interface Tried {
  count: number;
  /** When it may be tried again. */
  retryAt: number;
}

const untried: Tried = { count: 0, retryAt: Number.NEGATIVE_INFINITY };

class FailoverCall<T> {
  readonly #request: RpcRequest<T>;
  readonly #options: FailoverOptions;
  readonly #resolve: (answer: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #tried = new Map<Upstream, Tried>();
  readonly #running = new Set<Attempt>();
  readonly #awaited = new Set<Upstream>();
  #fault: unknown;
  #timer: NodeJS.Timeout | undefined;
  #waitUntil: number | undefined;
  #isOver = false;

  constructor(
    request: RpcRequest<T>,
    options: FailoverOptions,
    resolve: (answer: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Starts the next attempt, or waits for those under way or for an upstream to become usable. */
  advance(): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    const { deadline, now } = this.#options;
    const remainingMs = deadline - now();
    if (remainingMs <= 0) {
      this.#fail();
      return;
    }
    const [next, ...others] = this.#candidates();
    if (!next) {
      this.#awaitRevival();
      return;
    }
    const { count, retryAt } = this.#tried.get(next) ?? untried;
    const pauseMs = Math.max(retryAt, count > 0 ? this.#presumedLostAt() : retryAt) - now();
    if (pauseMs > 0) this.#advanceIn(pauseMs);
    else this.#try(next, others.filter((other) => !this.#tried.has(other)).length, remainingMs);
  }

  // The least tried first, and among those the preferred one. Every call also has the unusable ones probed.
  #candidates(): readonly Upstream[] {
    for (const upstream of this.#options.upstreams) if (!upstream.isUsable) void upstream.revive();
    const countOf = (upstream: Upstream): number => this.#tried.get(upstream)?.count ?? 0;
    const areLost = this.#presumedLostAt() <= this.#options.now();
    return this.#options.upstreams
      .filter((upstream) => upstream.isUsable && countOf(upstream) < maxTries)
      .filter((upstream) => areLost || ![...this.#running].some((attempt) => attempt.upstream === upstream))
      .sort((a, b) => countOf(a) - countOf(b));
  }

  // From when on all attempts under way count as lost. A single slow upstream gets no duplicate requests.
  #presumedLostAt(): number {
    const { upstreams } = this.#options;
    let latest = Number.NEGATIVE_INFINITY;
    for (const attempt of this.#running) latest = Math.max(latest, attempt.presumedLostAt);
    return this.#running.size > 0 && upstreams.length === 1 ? Number.POSITIVE_INFINITY : latest;
  }

  #advanceIn(delayMs: number): void {
    if (delayMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.advance(), delayMs);
  }

  #try(upstream: Upstream, untriedOthers: number, remainingMs: number): void {
    if (this.#running.size > 0) this.#options.onHedge(upstream);
    const count = (this.#tried.get(upstream)?.count ?? 0) + 1;
    this.#tried.set(upstream, { ...untried, count });
    const usualMs = upstream.hedgeDelayMs(this.#request.method);
    const presumedLostAt = this.#options.now() + Math.max(attemptPresumedLostMs, 2 * usualMs);
    const attempt = { upstream, presumedLostAt, abortion: new AbortController() };
    this.#running.add(attempt);
    // The upstreams that were not tried yet keep their share of the time.
    upstream.attempt(this.#request, remainingMs / (untriedOthers + 1), attempt.abortion.signal).then(
      (answer) => {
        this.#running.delete(attempt);
        this.#end(() => this.#resolve(answer));
      },
      (error: unknown) => {
        this.#running.delete(attempt);
        this.#fault = error;
        const tries = this.#tried.get(upstream)?.count ?? 0;
        this.#tried.set(upstream, { count: tries, retryAt: this.#options.now() + count * retryPauseMs });
        if (this.#options.isFinal?.(error)) this.#fail();
        else this.advance();
      },
    );
    if (this.#options.upstreams.length > 1) this.#advanceIn(usualMs);
  }

  // In parallel to attempts under way, otherwise for at most `revivalWaitMs`.
  #awaitRevival(): void {
    const { upstreams, deadline, now } = this.#options;
    const isWaiting = this.#running.size === 0;
    if (isWaiting) this.#waitUntil ??= Math.min(deadline, now() + revivalWaitMs);
    const waitUntil = (isWaiting && this.#waitUntil) || deadline;
    const awaited = upstreams.filter((upstream) => !upstream.isUsable && upstream.probeDueAt < waitUntil);
    if (isWaiting && (awaited.length === 0 || now() >= waitUntil)) {
      this.#fail();
      return;
    }
    const presumedLostAt = this.#presumedLostAt();
    this.#advanceIn((presumedLostAt > now() ? Math.min(presumedLostAt, waitUntil) : waitUntil) - now());
    for (const upstream of awaited) {
      if (this.#awaited.has(upstream)) continue;
      this.#awaited.add(upstream);
      void upstream.revive().then((isUsable) => {
        this.#awaited.delete(upstream);
        if (isUsable) this.#tried.delete(upstream);
        // After the pool is closed there are no more probes.
        if (isUsable || upstream.probeDueAt > now()) this.advance();
      });
    }
  }

  #fail(): void {
    const [preferred] = this.#options.upstreams;
    const fault = this.#fault ?? preferred?.lastFault ?? tooSlow();
    this.#end(() => this.#reject(fault));
  }

  // What ends later ends the call again, which changes nothing: its promise is settled.
  #end(settle: () => void): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    // The other attempts run on, since their latency shows how fast the upstreams are, but not for long: each holds a connection.
    for (const { presumedLostAt, abortion } of this.#running) {
      setTimeout(() => abortion.abort(), presumedLostAt - this.#options.now()).unref();
    }
    settle();
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
    return callWithFailover(request, {
      upstreams,
      deadline,
      onHedge: () => undefined,
      isFinal: isRefused,
      now: this.#now,
    });
  }
}
