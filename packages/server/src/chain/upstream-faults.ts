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
  /** A clause about the upstream (`it …`), without its URL. */
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

/** A JSON-RPC error as the node reported it. */
export interface RpcNodeError {
  code: number;
  message: string;
}

// A node that cannot serve now (agave `rpc-client-api/src/custom_error.rs`): no snapshot, unhealthy, slot skipped or cleaned
// up, context slot not reached; and the internal error of JSON-RPC.
const unavailableCodes = new Set([-32001, -32004, -32005, -32007, -32008, -32009, -32014, -32016, -32603]);

// HTTP 429 in the envelope, as some providers have it.
const rateLimitCodes = new Set([429, -32429]);

// JSON-RPC 2.0, section 5.1: the request was not understood, is not valid, names no method or has wrong parameters. And of a
// node that works: it keeps no transaction history, or a transaction is of a newer version than was asked for.
const refusalCodes = new Set([-32700, -32600, -32601, -32602, -32011, -32015]);

// A plan takes fewer accounts in a call (QuickNode).
const planLimitCode = -32615;

const invalidParamsCode = -32602;

// Agave writes `Too many inputs provided; max 100`.
const namesLimit = /\b(?:too many|max|maximum|limit|limited|exceeds?|exceeded)\b/i;

/** Returns the fault that a node's JSON-RPC error stands for. Its message is without secrets. */
export function faultOfNodeError(method: string, error: RpcNodeError): UpstreamFault {
  const why = describeNodeError(method, error);
  if (rateLimitCodes.has(error.code)) return unavailable('rate_limited', why, { cause: error });
  if (unavailableCodes.has(error.code)) return unavailable('node', why, { cause: error });
  if (error.code === planLimitCode || (error.code === invalidParamsCode && namesLimit.test(error.message))) {
    return nonsense('too_large', why, error);
  }
  return nonsense(refusalCodes.has(error.code) ? 'refused' : 'node', why, error);
}

/**
 * Returns the fault of an error that came under another id than the request's: a gateway in front of the node wrote it, such as
 * `invalid api key`, and the node itself was not asked. Its message is without secrets.
 */
export function faultOfGatewayError(method: string, error: RpcNodeError): UpstreamFault {
  const kind = rateLimitCodes.has(error.code) ? 'rate_limited' : 'node';
  return unavailable(kind, describeNodeError(method, error), { cause: error });
}

function describeNodeError(method: string, { code, message }: RpcNodeError): string {
  return `it answered ${method} with error ${code}${quoted(message)}`;
}

// No valid key, no quota left, no right, nothing at this path.
const deniedStatuses = new Set([401, 402, 403, 404]);

// By `410 Gone` public nodes say that they do not offer a method, which says nothing about the others.
const goneStatus = 410;

// `413 Content Too Large`: plans limit how many accounts a call may name.
const tooLargeStatus = 413;

/**
 * Returns the fault of an HTTP status by which a node, or a gateway in front of it, turns a call away; otherwise undefined.
 *
 * `message`: what it says about that, without secrets. `hasNodeError`: whether the node itself answered with a JSON-RPC error, which
 * then says more than the status, unless that is 401, 410 or 413.
 */
export function faultOfDenial(statusCode: number, message: string, hasNodeError: boolean): UpstreamFault | undefined {
  const why = `it answered HTTP ${statusCode}${quoted(message)}`;
  if (statusCode === goneStatus) return nonsense('refused', why);
  if (statusCode === tooLargeStatus) return nonsense('too_large', why);
  if (!deniedStatuses.has(statusCode) || (hasNodeError && statusCode !== 401)) return undefined;
  return unavailable('http_status', why);
}

/** Returns the fault of JSON that is not the answer to the request. `message`: what it says, without secrets. */
export function faultOfOther(statusCode: number, message: string): UpstreamFault {
  const ofStatus = statusCode === 200 ? '' : ` of HTTP ${statusCode}`;
  return malformed(`its answer${ofStatus} is not the answer to this request${quoted(message)}`);
}

function quoted(message: string): string {
  return message === '' ? '' : `: "${message}"`;
}

// A node's `Retry-After` counts up to this.
const maxRestMs = 30_000;

/** Returns the fault of an HTTP status that says that the node cannot serve, otherwise undefined. */
export function faultOfStatus(statusCode: number, retryAfter: unknown): UpstreamFault | undefined {
  if (statusCode !== 429 && statusCode !== 502 && statusCode !== 503 && statusCode !== 504) return undefined;
  const kind = statusCode === 429 ? 'rate_limited' : 'http_status';
  return unavailable(kind, `it answered HTTP ${statusCode}`, { restMs: restOf(retryAfter) });
}

// RFC 9110, section 10.2.3: seconds, or a date.
function restOf(retryAfter: unknown): number | undefined {
  if (typeof retryAfter !== 'string') return undefined;
  const restMs = /^[0-9]{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return restMs > 0 ? Math.min(restMs, maxRestMs) : undefined;
}
