import type { Deadline } from './chain-reader.ts';
import type { RpcRequest } from './rpc-transport.ts';
import type { Upstream } from './upstream.ts';
import { tooSlow } from './upstream-faults.ts';

/** What a call may go to, and until when. */
export interface FailoverOptions {
  /** The preferred one first. */
  upstreams: readonly Upstream[];
  deadline: Deadline;
  /** Told of an upstream that is asked because others are slow to answer. */
  onHedge: (upstream: Upstream) => void;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

// How often one upstream is tried for one call, and for how many milliseconds it is spared before it is tried again.
const mostTries = 3;
const pauseBetweenTries = 40;

// In milliseconds: an attempt that takes so long, and twice as long as is usual, may never be answered, since its node hung and
// forgot it. It goes on while nobody else has answered, and where there is no other upstream left, the same are asked again
// beside it.
const forgottenAfter = 500;

// In milliseconds: how long a call waits for any upstream to come back, before its caller is told that there is none.
const patience = 1_000;

/**
 * Sends a request to the first upstream that is usable, and to the next one when it fails or is slower than usual.
 *
 * The first good answer counts. Throws the `UpstreamFault` of the last attempt when there is none by the deadline, or when no
 * upstream is usable for a second.
 */
export function callWithFailover<T>(request: RpcRequest<T>, options: FailoverOptions): Promise<T> {
  return new Promise((resolve, reject) => new FailoverCall(request, options, resolve, reject).advance());
}

interface Attempt {
  readonly upstream: Upstream;
  /** When it must be taken for forgotten. */
  readonly forgottenAt: number;
  readonly abortion: AbortController;
}

interface Tried {
  count: number;
  /** When it may be tried again. */
  sparedUntil: number;
}

const untried: Tried = { count: 0, sparedUntil: Number.NEGATIVE_INFINITY };

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
  #waitsUntil: number | undefined;
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

  /** Starts the next attempt; where there is none to start, waits for those under way or for an upstream to come back. */
  advance(): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    const { deadline, now } = this.#options;
    const remaining = deadline - now();
    if (remaining <= 0) {
      this.#fail();
      return;
    }
    const [next, ...others] = this.#candidates();
    if (!next) {
      this.#awaitRevival();
      return;
    }
    const { count, sparedUntil } = this.#tried.get(next) ?? untried;
    const pause = Math.max(sparedUntil, count > 0 ? this.#forgottenAt() : 0) - now();
    if (pause > 0) this.#advanceIn(pause);
    else this.#try(next, others.filter((other) => !this.#tried.has(other)).length, remaining);
  }

  // The least tried first, and among those the preferred one. What is not usable is probed as long as there are calls.
  #candidates(): readonly Upstream[] {
    for (const upstream of this.#options.upstreams) if (!upstream.isUsable) void upstream.revive();
    const countOf = (upstream: Upstream): number => this.#tried.get(upstream)?.count ?? 0;
    const isForgotten = this.#forgottenAt() <= this.#options.now();
    return this.#options.upstreams
      .filter((upstream) => upstream.isUsable && countOf(upstream) < mostTries)
      .filter((upstream) => isForgotten || ![...this.#running].some((attempt) => attempt.upstream === upstream))
      .sort((a, b) => countOf(a) - countOf(b));
  }

  // From when on none of the attempts under way can be counted on. Where there is but one upstream, it is not asked the more
  // the slower it is.
  #forgottenAt(): number {
    const { upstreams } = this.#options;
    let latest = Number.NEGATIVE_INFINITY;
    for (const attempt of this.#running) latest = Math.max(latest, attempt.forgottenAt);
    return this.#running.size > 0 && upstreams.length === 1 ? Number.POSITIVE_INFINITY : latest;
  }

  #advanceIn(milliseconds: number): void {
    if (milliseconds < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.advance(), milliseconds);
  }

  #try(upstream: Upstream, untriedOthers: number, remaining: number): void {
    if (this.#running.size > 0) this.#options.onHedge(upstream);
    const count = (this.#tried.get(upstream)?.count ?? 0) + 1;
    this.#tried.set(upstream, { ...untried, count });
    const usual = upstream.hedgeDelay(this.#request.method);
    const forgottenAt = this.#options.now() + Math.max(forgottenAfter, 2 * usual);
    const attempt = { upstream, forgottenAt, abortion: new AbortController() };
    this.#running.add(attempt);
    // Each of those that were not tried yet is left its share of the time.
    upstream.attempt(this.#request, remaining / (untriedOthers + 1), attempt.abortion.signal).then(
      (answer) => {
        this.#running.delete(attempt);
        this.#end(() => this.#resolve(answer));
      },
      (error: unknown) => {
        this.#running.delete(attempt);
        this.#fault = error;
        const tries = this.#tried.get(upstream)?.count ?? 0;
        this.#tried.set(upstream, { count: tries, sparedUntil: this.#options.now() + count * pauseBetweenTries });
        this.advance();
      },
    );
    if (this.#options.upstreams.length > 1) this.#advanceIn(usual);
  }

  // Beside the attempts under way, if there are any; without, for no longer than its caller has patience.
  #awaitRevival(): void {
    const { upstreams, deadline, now } = this.#options;
    const isWaiting = this.#running.size === 0;
    if (isWaiting) this.#waitsUntil ??= Math.min(deadline, now() + patience);
    const waitsUntil = (isWaiting && this.#waitsUntil) || deadline;
    const awaited = upstreams.filter((upstream) => !upstream.isUsable && upstream.probeDueAt < waitsUntil);
    if (isWaiting && (awaited.length === 0 || now() >= waitsUntil)) {
      this.#fail();
      return;
    }
    const forgottenAt = this.#forgottenAt();
    this.#advanceIn((forgottenAt > now() ? Math.min(forgottenAt, waitsUntil) : waitsUntil) - now());
    for (const upstream of awaited) {
      if (this.#awaited.has(upstream)) continue;
      this.#awaited.add(upstream);
      void upstream.revive().then((isUsable) => {
        this.#awaited.delete(upstream);
        if (isUsable) this.#tried.delete(upstream);
        // Once the pool is closed there is no further probe.
        if (isUsable || upstream.probeDueAt > now()) this.advance();
      });
    }
  }

  #fail(): void {
    const [preferred] = this.#options.upstreams;
    const fault = this.#fault ?? preferred?.lastFault ?? tooSlow();
    this.#end(() => this.#reject(fault));
  }

  #end(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    // Nobody waits for them any more. Their latency tells how fast their upstreams are, but each also holds a connection.
    for (const { forgottenAt, abortion } of this.#running) {
      setTimeout(() => abortion.abort(), forgottenAt - this.#options.now()).unref();
    }
    settle();
  }
}
