import { AppError, type ProblemCode } from '../errors.ts';

/**
 * How an upstream failed one attempt.
 *
 * - `connection`: it could not be reached, or broke off
 * - `timeout`: it took too long
 * - `hurried`: it had little time left and did not answer within it
 * - `rate_limited`: HTTP 429, or a JSON-RPC error that says the same
 * - `http_status`: another HTTP status than 200
 * - `node`: the node reports an error of its own: behind, unhealthy, internal
 * - `refused`: the node does not take this call, which says nothing about others
 * - `malformed`: its answer makes no sense
 * - `lagging`: its answer is of a slot too far behind
 * - `implausible`: its slot does not follow on that of the others: it may have come to serve another ledger
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
  | 'malformed'
  | 'lagging'
  | 'implausible'
  | 'other_cluster';

/** What an upstream did wrong, as a refusal for the caller who finds no other. */
export class UpstreamFault extends AppError {
  readonly kind: FaultKind;
  /** What it did, as the end of a sentence about it; without its URL. */
  readonly reason: string;
  /** For how long the upstream wants to be left alone, in milliseconds. */
  readonly restMilliseconds: number | undefined;

  constructor(
    kind: FaultKind,
    code: ProblemCode,
    texts: { reason: string; detail: string },
    options: FaultOptions = {},
  ) {
    const { cause, restMilliseconds } = options;
    const retryAfterSeconds = Math.max(1, Math.ceil((restMilliseconds ?? 0) / 1000));
    super(code, texts.detail, { cause, ...(code === 'upstream_unavailable' && { retryAfterSeconds }) });
    this.kind = kind;
    this.reason = texts.reason;
    this.restMilliseconds = restMilliseconds;
  }
}

interface FaultOptions {
  cause?: unknown;
  restMilliseconds?: number | undefined;
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

/** The fault of an answer that makes no sense, or of a node that does not take what it is asked. */
export function nonsense(kind: FaultKind, reason: string, cause?: unknown): UpstreamFault {
  const detail = `The Solana node gave an answer that makes no sense: ${reason}.`;
  return new UpstreamFault(kind, 'upstream_error', { reason, detail }, { cause });
}

/** The fault of an answer that cannot be read. */
export function malformed(reason: string, cause?: unknown): UpstreamFault {
  return nonsense('malformed', reason, cause);
}

/** Says whether an error of an attempt tells against the upstream, and not only against the call. */
export function blamesUpstream(error: unknown): boolean {
  return !(error instanceof UpstreamFault && (error.kind === 'refused' || error.kind === 'hurried'));
}
