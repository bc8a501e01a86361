import { type TObject, Type } from 'typebox';
import type { Operation, TransferOperation } from '../../operation.ts';
import { exampleBody, fieldNames, fieldSchema, neededFields, optionalFields } from '../fields.ts';
import { replySchemas } from '../replies.ts';
import type { TransferRoute } from '../routes/route.ts';
import { idempotencyKeyParameter, transferHeaders } from './headers.ts';
import { transferProblemResponses } from './problem-responses.ts';
import { replyExample } from './reply-examples.ts';

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

// One object for all operations of the route: what some of them need and others do not is said in words, because generated
// clients have no use for alternatives of whole bodies.
/** The schema of a body with the fields that some operations take, whose `description` says what holds in addition. */
export function requestSchema(
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
