import type { ProblemCode } from '../../errors.ts';
import { exampleBody } from '../fields.ts';
import type { LinkRoute } from '../routes/route.ts';
import { idempotencyKeyParameter, keyedHeaders, replayedHeader } from './headers.ts';
import { linkProblemResponses } from './problem-responses.ts';
import { describeReply } from './public-operation.ts';
import { requestSchema } from './transfer-operation.ts';

/** Describes a route of payment links that needs an API key. */
export function linkOperation(operationId: string, route: LinkRoute): object {
  const { summary, description, tag, replies, refusals, takesIdempotencyKey } = route;
  const parameters = [...route.parameters, ...(takesIdempotencyKey ? [idempotencyKeyParameter] : [])];
  const headers = { ...(takesIdempotencyKey && replayedHeader), ...keyedHeaders };
  const isKeyedBuild = (code: ProblemCode): boolean => takesIdempotencyKey && isOfCreation(code);
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    parameters,
    ...requestOf(route),
    responses: {
      ...Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, describeReply(reply, headers)])),
      ...linkProblemResponses((code) => refusals.includes(code) || isKeyedBuild(code)),
    },
  };
}

function requestOf({ operations, requestRule }: LinkRoute): object {
  const [operation] = operations;
  if (operation === undefined || requestRule === undefined) return {};
  const schema = requestSchema('CreatePaymentLinkRequest', { operations, requestRule });
  const examples = { [operation]: { value: exampleBody(operation) } };
  return { requestBody: { required: true, content: { 'application/json': { schema, examples } } } };
}

/** What a request that makes a link can be refused with in addition to its route's own: faults of the body and facts of the chain. */
function isOfCreation(code: ProblemCode): boolean {
  return creationCodes.includes(code);
}

const creationCodes: readonly string[] = [
  'invalid_json',
  'invalid_request',
  'missing_field',
  'unknown_field',
  'wrong_type',
  'invalid_value',
  'invalid_address',
  'invalid_amount',
  'invalid_memo',
  'memo_too_long',
  'memo_too_costly',
  'memo_holds_api_key',
  'invalid_idempotency_key',
  'daily_limit_reached',
  'idempotency_in_progress',
  'body_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'idempotency_unavailable',
  'reply_quota_reached',
  'upstream_error',
  'upstream_disagreement',
  'upstream_unavailable',
  'upstream_timeout',
  'mint_not_found',
  'not_a_mint',
  'mint_too_large',
  'mint_paused',
  'mint_non_transferable',
  'recipient_token_account_not_owned',
  'recipient_token_account_frozen',
  'recipient_refuses_public_credits',
  'new_token_account_would_be_frozen',
  'recipient_requires_memo',
  'recipient_is_token_account',
  'recipient_is_mint',
  'recipient_is_program',
  'recipient_not_a_wallet',
  'recipient_off_curve',
  'transfer_hook_unresolvable',
  'transaction_too_large',
  'transaction_too_costly',
] satisfies ProblemCode[];
