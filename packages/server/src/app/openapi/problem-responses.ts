import { type ProblemCode, problems } from '../../problems.ts';
import { problemBody, problemMediaType, problemSchema } from '../replies.ts';
import { rateLimitHeaders, retryAfterHeader } from './headers.ts';

// Refused before the key is known: no request was counted.
const statusesWithoutKey: readonly number[] = [401, 408, 431];
const statusesToRetry: readonly number[] = [409, 429, 503];

// Codes that only another path or method causes.
const notOfOperations: readonly string[] = ['route_not_found', 'method_not_allowed'] satisfies ProblemCode[];

// Codes that any request can get.
const ofEveryRoute: readonly string[] = [
  'malformed_http',
  'request_timeout',
  'headers_too_large',
] satisfies ProblemCode[];

// Codes that only requests for outcomes get.
const ofOutcomeAlone = [
  'invalid_transaction',
  'not_a_transfer',
  'invalid_block_height',
  'transaction_and_transactions',
  'transaction_or_transactions_required',
] as const satisfies ProblemCode[];

// Codes that only requests about payment links get.
const ofLinksAlone = [
  'amount_and_amount_bounds',
  'amount_or_amount_bounds_required',
  'amount_out_of_bounds',
  'payment_link_not_found',
  'payment_link_paid',
  'payment_link_changed',
  'payment_link_closed',
  'payment_links_off',
  'payment_links_unavailable',
] as const satisfies ProblemCode[];

// Codes that requests for outcomes get: nothing is decided or built.
const ofOutcome: readonly string[] = [
  ...ofOutcomeAlone,
  'invalid_json',
  'invalid_request',
  'missing_field',
  'unknown_field',
  'wrong_type',
  'invalid_value',
  'api_key_missing',
  'api_key_invalid',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'overloaded',
  'upstream_error',
  'upstream_unavailable',
  'upstream_timeout',
  'key_store_unavailable',
] satisfies ProblemCode[];

// Codes that any request with an API key gets.
const ofEveryKey: readonly string[] = [
  'api_key_missing',
  'api_key_invalid',
  'rate_limited',
  'internal_error',
  'overloaded',
  'key_store_unavailable',
] satisfies ProblemCode[];

const exampleRequestId = '0b0bc6a4-3d5c-4d4e-9f0b-2f5a1c1d7e11';

const codes = Object.keys(problems).filter(isProblemCode);

/** The refusals of an operation that builds transfers, by status. */
export function transferProblemResponses(): Record<string, object> {
  const others: readonly string[] = [...notOfOperations, ...ofOutcomeAlone, ...ofLinksAlone];
  return keyedProblemResponses(codes.filter((code) => !others.includes(code)));
}

/** The refusals of the operation that finds outcomes, by status. */
export function outcomeProblemResponses(): Record<string, object> {
  return keyedProblemResponses(codes.filter((code) => ofOutcome.includes(code) || ofEveryRoute.includes(code)));
}

/** The refusals of a route that reads or changes what the service keeps: those of every such route, and its own, by status. */
export function resourceProblemResponses(isOwn: (code: ProblemCode) => boolean): Record<string, object> {
  return keyedProblemResponses(
    codes.filter((code) => isOwn(code) || ofEveryKey.includes(code) || ofEveryRoute.includes(code)),
  );
}

function keyedProblemResponses(listed: readonly ProblemCode[]): Record<string, object> {
  return byStatus(listed, (status) => ({
    ...(!statusesWithoutKey.includes(status) && rateLimitHeaders),
    ...(statusesToRetry.includes(status) && retryAfterHeader),
  }));
}

/** The refusals of a route that anyone may read, by status. */
export function publicProblemResponses(): Record<string, object> {
  return byStatus(
    codes.filter((code) => ofEveryRoute.includes(code)),
    () => ({}),
  );
}

/** The response that is a refusal with one of some codes of the same status. */
export function problemResponse(description: string, [first]: readonly ProblemCode[], headers: object): object {
  if (first === undefined) throw new TypeError('a refusal has a code');
  const example = problemBody(first, problems[first].remedy, exampleRequestId, {});
  return { description, headers, content: { [problemMediaType]: { schema: problemSchema, example } } };
}

function byStatus(listed: readonly ProblemCode[], headersOf: (status: number) => object): Record<string, object> {
  const codesByStatus = new Map<number, ProblemCode[]>();
  for (const code of listed) {
    const { status } = problems[code];
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...codesByStatus].map(([status, each]) => [
      status,
      problemResponse(`Refused: ${each.join(', ')}.`, each, headersOf(status)),
    ]),
  );
}

function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text);
}
