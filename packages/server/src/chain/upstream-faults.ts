import { AppError, type ProblemCode, problems } from '../problems.ts';

/**
 * How an upstream failed one attempt.
 *
 * - `connection`: it could not be reached, or broke off
 * - `timeout`: it took too long
 * - `hurried`: it did not answer in the little time that was left of the request's
 * - `rate_limited`: HTTP 429, or a JSON-RPC error that says the same
 * - `http_status`: another HTTP status than 200
 * - `node`: the node reports an error of its own: behind, unhealthy, internal
 * - `refused`: the node does not take this call, which says nothing about others
 * - `too_large`: the call asks for more than the node answers, or its answer is longer than what is read: a smaller call may do
 * - `malformed`: its answer is not valid
 * - `lagging`: its answer is from a slot too far behind
 * - `other_cluster`: it serves another ledger than the others
 */
export type FaultKind =
  | 'connection'
  | 'timeout'
  | 'hurried'
  | 'rate_limited'
  | 'http_status'
  | 'node'
  | 'refused'
  | 'too_large'
  | 'malformed'
  | 'lagging'
  | 'other_cluster';

/** A failed attempt of an upstream; the refusal of the request when no other upstream answers. */
export class UpstreamFault extends AppError {
  readonly kind: FaultKind;
  /** What happened, as a clause about the upstream (`it …`); without its URL. */
  readonly reason: string;
  /** How long the upstream asks not to be called, from its `Retry-After`. */
  readonly restMs: number | undefined;

  constructor(
    kind: FaultKind,
    code: ProblemCode,
    texts: { reason: string; detail: string },
    options: FaultOptions = {},
  ) {
    const { cause, restMs } = options;
    const retryAfterSeconds = Math.max(1, Math.ceil((restMs ?? 0) / 1000));
    super(code, texts.detail, { cause, ...(problems[code].status === 503 && { retryAfterSeconds }) });
    this.kind = kind;
    this.reason = texts.reason;
    this.restMs = restMs;
  }
}

interface FaultOptions {
  cause?: unknown;
  restMs?: number | undefined;
}

/** The fault of a node that cannot be reached or that refuses to serve. */
export function unavailable(kind: FaultKind, reason: string, options: FaultOptions = {}): UpstreamFault {
  const detail = `The Solana node cannot serve this now: ${reason}. Try again.`;
  return new UpstreamFault(kind, 'upstream_unavailable', { reason, detail }, options);
}

/** The fault of a node that takes too long. */
export function tooSlow(kind: 'timeout' | 'hurried' = 'timeout'): UpstreamFault {
  const texts = { reason: 'it did not answer in time', detail: 'The Solana node did not answer in time. Try again.' };
  return new UpstreamFault(kind, 'upstream_timeout', texts);
}

/** The fault of an answer that is not valid, or of a node that refuses the call. */
export function nonsense(kind: FaultKind, reason: string, cause?: unknown): UpstreamFault {
  const detail = `The Solana node gave an answer that makes no sense: ${reason}.`;
  return new UpstreamFault(kind, 'upstream_error', { reason, detail }, { cause });
}

/** The fault of an answer that cannot be read. */
export function malformed(reason: string, cause?: unknown): UpstreamFault {
  return nonsense('malformed', reason, cause);
}

/** Whether a node does not take this call: it refuses it again. */
export function isRefused(error: unknown): boolean {
  return (error instanceof UpstreamFault && error.kind === 'refused') || isTooLarge(error);
}

/** Whether a smaller call of the same kind may be answered. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'too_large';
}

const notCounted: ReadonlySet<FaultKind> = new Set(['refused', 'too_large', 'hurried']);

/** Whether a failed attempt counts against the upstream, and not only against the call. */
export function blamesUpstream(error: unknown): boolean {
  return !(error instanceof UpstreamFault && notCounted.has(error.kind));
}

/** Observes the calls to the upstreams, which are named `upstream_1`, `upstream_2`, never by URL. */
export interface ChainObserver {
  /** An attempt to call a method has ended, with a fault or none. */
  attempted(upstream: string, method: string, fault: FaultKind | undefined, durationMs: number): void;
  /** A call was sent to this upstream too, because another one was slow to answer. */
  hedged(upstream: string): void;
  /** An upstream is used from now on, or, with a fault, is not. */
  usageChanged(upstream: string, fault: UpstreamFault | undefined): void;
  /** One call for accounts was sent, for this many requests. */
  batchSent(requests: number, accounts: number): void;
}

/** An observer that does nothing. */
export const silentObserver: ChainObserver = {
  attempted: () => undefined,
  hedged: () => undefined,
  usageChanged: () => undefined,
  batchSent: () => undefined,
};
