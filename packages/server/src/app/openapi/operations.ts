import { type TObject, Type } from 'typebox';
import type { Operation, TransferOperation } from '../../operation.ts';
import type { ProblemCode } from '../../problems.ts';
import { exampleBody, fieldNames, fieldSchema, neededFields, optionalFields } from '../fields.ts';
import { replySchemas } from '../replies.ts';
import { idempotencyKeyParameter, keyedHeaders, replayedHeader, transferHeaders } from './headers.ts';
import {
  problemResponse,
  publicProblemResponses,
  resourceProblemResponses,
  transferProblemResponses,
} from './problem-responses.ts';
import { replyExample } from './reply-examples.ts';
import type { PublicRoute, ResourceRoute, RouteReply, TransferRoute } from './route.ts';

/** Describes a route that builds transfers. */
export function transferPost(operationId: string, route: TransferRoute): object {
  const { summary, description, tag, operations } = route;
  const replies = operations.map((operation) => replySchemas[operation]);
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    parameters: [idempotencyKeyParameter],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: requestSchema(`${nameOf(operationId)}Request`, route),
          examples: examplesOf(operations, exampleBody),
        },
      },
    },
    responses: {
      200: {
        description: 'The unsigned transaction.',
        headers: transferHeaders,
        content: {
          'application/json': {
            schema: replies.length === 1 ? replies[0] : { oneOf: replies, $id: `${nameOf(operationId)}Reply` },
            examples: examplesOf(operations, replyExample),
          },
        },
      },
      ...transferProblemResponses(),
    },
  };
}

function examplesOf(
  operations: readonly TransferOperation[],
  exampleOf: (operation: TransferOperation) => unknown,
): object {
  return Object.fromEntries(operations.map((operation) => [operation, { value: exampleOf(operation) }]));
}

/** `TokenTransfer` of `buildTokenTransfer`. */
function nameOf(operationId: string): string {
  return operationId.replace(/^build/, '');
}

// One object for all operations of the route, with their differences in words: generated clients cannot use alternatives of whole bodies.
/** The schema of a body with the fields that some operations take, whose `description` says what holds in addition. */
function requestSchema(
  id: string,
  { operations, requestRule }: { operations: readonly Operation[]; requestRule: string },
): TObject {
  const isNeeded = (name: string): boolean =>
    operations.every((operation) => neededFields(operation).some((needed) => needed === name));
  const isTaken = (name: string): boolean =>
    operations.some((operation) =>
      [...neededFields(operation), ...optionalFields(operation)].some((taken) => taken === name),
    );
  const properties = Object.fromEntries(
    fieldNames
      .filter(isTaken)
      .map((name) => [name, isNeeded(name) ? fieldSchema(name) : Type.Optional(fieldSchema(name))]),
  );
  return Type.Object(properties, { $id: id, description: requestRule, additionalProperties: false });
}

/** Describes a route that needs an API key and reads or changes what the service keeps. */
export function resourceOperation(operationId: string, route: ResourceRoute): object {
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
      ...resourceProblemResponses((code) => refusals.includes(code) || isKeyedBuild(code)),
    },
  };
}

function requestOf({ operations, requestRule }: ResourceRoute): object {
  const [operation] = operations;
  if (operation === undefined || requestRule === undefined) return {};
  const schema = requestSchema('CreatePaymentLinkRequest', { operations, requestRule });
  const examples = { [operation]: { value: exampleBody(operation) } };
  return { requestBody: { required: true, content: { 'application/json': { schema, examples } } } };
}

/** Whether a request that makes a link can be refused with a code, in addition to the codes of its route: faults of the body and the chain. */
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

/** Describes a route that anyone may read. */
export function publicOperation(operationId: string, route: PublicRoute): object {
  const { summary, description, tag, isInternal, parameters, request, replies, refusals = {} } = route;
  const responses = Object.fromEntries([
    ...Object.entries(replies).map(([status, reply]) => [status, describeReply(reply)]),
    ...Object.entries(publicProblemResponses()),
    ...Object.entries(refusals).map(([status, refusal]) => [
      status,
      problemResponse(refusal.description, [refusal.code], {}),
    ]),
  ]);
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(isInternal && { 'x-internal': true }),
    ...(parameters && { parameters }),
    ...(request && { requestBody: { required: true, content: { 'application/json': request } } }),
    security: [],
    responses,
  };
}

/** Describes a reply that is no refusal. */
function describeReply(reply: RouteReply, headers?: object): object {
  const { mediaType = 'application/json', schema, example, examples, description } = reply;
  const all = { ...reply.headers, ...headers };
  const shown = { ...(example !== undefined && { example }), ...(examples && { examples }) };
  return {
    description,
    ...(Object.keys(all).length > 0 && { headers: all }),
    content: { [mediaType]: { schema, ...shown } },
  };
}
