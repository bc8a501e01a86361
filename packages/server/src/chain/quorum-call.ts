import { setTimeout as sleep } from 'node:timers/promises';
import type { Agreement, Answer } from './agreement.ts';
import type { FailoverOptions } from './failover-call.ts';
import type { RpcRequest } from './rpc-transport.ts';
import type { Upstream } from './upstream.ts';
import { disagreement, tooSlow } from './upstream-faults.ts';

/** The upstreams of a call, its deadline, and how many of them must agree. */
export interface QuorumOptions extends FailoverOptions {
  /** From 2 to the number of upstreams. */
  quorum: number;
  /** Called when the first answers differed, with whether enough upstreams agreed in the end. */
  onDisagreement: (isResolved: boolean) => void;
}

// Nodes may be at different slots, so they are asked again after these pauses, in which slots pass.
const pausesMs = [50, 100, 200, 400];

// How long a call waits for enough upstreams to be usable.
const revivalWaitMs = 1_000;
const revivalPauseMs = 10;

// An attempt whose answer is not needed any more is ended after this.
const unneededAttemptMs = 500;

/**
 * Sends a request to `quorum` upstreams at once, and to more when these fail, are slower than usual or disagree.
 *
 * Throws an `UpstreamFault`: `upstream_disagreement` when enough answered and still differed after four repetitions, otherwise
 * the fault of the last attempt.
 */
export async function callWithQuorum<T>(
  request: RpcRequest<T>,
  agreement: Agreement<T>,
  options: QuorumOptions,
): Promise<T> {
  const { upstreams, quorum, deadline, onDisagreement, now } = options;
  const answers: Answer<T>[] = [];
  let fault: unknown;
  let isDisputed = false;
  const onFault = (error: unknown): void => {
    fault = error;
  };
  for (const pauseMs of [...pausesMs, undefined]) {
    const usable = await usableUpstreams(options);
    if (usable.length < quorum) break;
    const agreed = await askRound(request, agreement, { ...options, usable, answers, onFault });
    if (agreed !== undefined) {
      if (isDisputed) onDisagreement(true);
      return agreed;
    }
    const hasEnough = new Set(answers.map(({ upstream }) => upstream)).size >= quorum;
    isDisputed ||= hasEnough;
    if (hasEnough && agreement.mark) return agreement.mark(answers, quorum);
    if (pauseMs === undefined || now() + pauseMs >= deadline) break;
    await sleep(pauseMs);
  }
  if (isDisputed) {
    onDisagreement(false);
    throw disagreement(quorum, upstreams.length);
  }
  throw fault ?? upstreams.find(({ isUsable }) => !isUsable)?.lastFault ?? tooSlow();
}

// Waits up to `revivalWaitMs` for `quorum` usable upstreams, and returns those that are usable then.
async function usableUpstreams({ upstreams, quorum, deadline, now }: QuorumOptions): Promise<readonly Upstream[]> {
  const waitUntil = Math.min(deadline, now() + revivalWaitMs);
  for (;;) {
    const usable = upstreams.filter(({ isUsable }) => isUsable);
    const others = upstreams.filter(({ isUsable }) => !isUsable);
    const revivals = others.map((upstream) => upstream.revive());
    const leftMs = waitUntil - now();
    if (usable.length >= quorum || leftMs <= 0) return usable;
    await Promise.race([...revivals, sleep(leftMs, undefined, { ref: false })]);
    // After the pool is closed revivals end at once: without this pause the loop would not yield.
    await sleep(revivalPauseMs);
  }
}

interface Round<T> extends QuorumOptions {
  usable: readonly Upstream[];
  /** The answers of all rounds; this one adds its own. */
  answers: Answer<T>[];
  onFault: (error: unknown) => void;
}

// Resolves with the agreed answer, or with undefined once all usable upstreams have answered or failed.
function askRound<T>(request: RpcRequest<T>, agreement: Agreement<T>, round: Round<T>): Promise<T | undefined> {
  const { usable, answers, quorum, deadline, onHedge, onFault, now } = round;
  return new Promise((resolve) => {
    const waiting = [...usable];
    const running = new Map<Upstream, AbortController>();
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const finish = (agreed: T | undefined): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      for (const abortion of running.values()) setTimeout(() => abortion.abort(), unneededAttemptMs).unref();
      resolve(agreed);
    };
    const settle = (isAnswer: boolean): void => {
      if (isOver) return;
      const agreed = isAnswer ? agreement.agree(answers, quorum) : undefined;
      if (agreed !== undefined) finish(agreed);
      else if (!isAnswer || running.size === 0) askNext();
      if (running.size === 0) finish(undefined);
    };
    const askNext = (): void => {
      const upstream = waiting.shift();
      const remainingMs = deadline - now();
      if (!upstream || isOver || remainingMs <= 0) return;
      const abortion = new AbortController();
      running.set(upstream, abortion);
      upstream.attempt(request, remainingMs, abortion.signal).then(
        (value) => {
          running.delete(upstream);
          answers.push({ upstream: upstream.name, value });
          settle(true);
        },
        (error: unknown) => {
          running.delete(upstream);
          onFault(error);
          settle(false);
        },
      );
      clearTimeout(timer);
      const delays = [...running.keys()].map((other) => other.hedgeDelayMs(request.method));
      timer = setTimeout(
        () => {
          const [next] = waiting;
          if (next) onHedge(next);
          askNext();
        },
        Math.max(...delays),
      );
    };
    for (let count = 0; count < quorum; count++) askNext();
    if (running.size === 0) finish(undefined);
  });
}
