import { type TObject, Type } from 'typebox';
import { type ProblemCode, problems } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { exampleBody, fieldSchema, neededFields, optionalFields } from './fields.ts';
import { problemMediaType, problemReference, problemSchema, replySchemas } from './replies.ts';
import { isServed, type PublicRoute, type Route, routes, type TransferRoute } from './routes.ts';

/**
 * The OpenAPI 3.1 document of the service, made from the same tables of routes, fields, replies and problems that it runs on.
 *
 * A service on a real network has no routes of the sandbox, and does not describe them.
 */
export function openApiDocument(version: string, hasSandbox: boolean): object {
  const described = Object.entries<Route>(routes).filter(([, route]) => isServed(route, hasSandbox));
  return {
    openapi: '3.1.0',
    info: {
      title: 'splwright',
      version,
      summary: 'Builds unsigned SPL token transfers on Solana.',
      description:
        'Name the sender, the recipient, the token and the amount. The reply is a transaction that lands once it is signed ' +
        'and submitted, or the exact reason why it would not. The service holds no key, signs nothing and submits nothing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(described.map(([name, route]) => [route.path, pathItem(name, route)])),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, beginning with swk_.' } },
      schemas: { Problem: problemSchema },
    },
  };
}

function pathItem(operationId: string, route: Route): object {
  return route.needsKey ? { post: transferPost(operationId, route) } : { get: publicGet(operationId, route) };
}

function transferPost(operationId: string, { summary, operations }: TransferRoute): object {
  const requests = operations.map(requestSchema);
  const replies = operations.map((operation) => replySchemas[operation]);
  const oneOf = (schemas: readonly TObject[]): object =>
    schemas.length === 1 ? (schemas[0] ?? {}) : { oneOf: schemas };
  return {
    operationId,
    summary,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: oneOf(requests),
          examples: Object.fromEntries(operations.map((operation) => [operation, { value: exampleBody(operation) }])),
        },
      },
    },
    responses: {
      200: {
        description: 'The unsigned transaction.',
        headers: replyHeaders,
        content: { 'application/json': { schema: oneOf(replies) } },
      },
      ...problemResponses(),
    },
  };
}

function requestSchema(operation: Operation): TObject {
  const properties = Object.fromEntries([
    ...neededFields(operation).map((name) => [name, fieldSchema(name)]),
    ...optionalFields(operation).map((name) => [name, Type.Optional(fieldSchema(name))]),
  ]);
  return Type.Object(properties, {
    additionalProperties: false,
    ...(takesEitherMemo(operation) && { not: { required: ['memo', 'yid'] } }),
  });
}

function takesEitherMemo(operation: Operation): boolean {
  const names = optionalFields(operation);
  return names.includes('memo') && names.includes('yid');
}

// draft-ietf-httpapi-ratelimit-headers-11: lists of structured field items, here always of one.
const rateLimitHeaders = {
  RateLimit: {
    description:
      'The requests left (`r`) in the current window of the API key, and the seconds until the window ends (`t`). Absent ' +
      'for a key without a limit, and on a refusal from before the key was checked, such as `overloaded`.',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=599;t=42',
  },
  'RateLimit-Policy': {
    description: 'The requests (`q`) that the API key may make in a window, and the seconds in a window (`w`).',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=60$' },
    example: '"default";q=600;w=60',
  },
};

const replyHeaders = {
  'Solana-Blockhash': { description: 'The blockhash in the transaction, or the nonce.', schema: { type: 'string' } },
  'Solana-Last-Valid-Block-Height': {
    description: 'The last block height at which the transaction can land; absent with a nonce, which does not expire.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  ...rateLimitHeaders,
  'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string' } },
};

const retryAfterHeader = {
  'Retry-After': { description: 'Seconds after which a retry makes sense.', schema: { type: 'integer', minimum: 0 } },
};

// Refused before the key is known: no request was counted.
const statusesWithoutKey: readonly number[] = [401, 408, 431];
const statusesToRetry: readonly number[] = [429, 503];

// Codes that only the connection, another path or a field inside `errors` brings are no response of an operation.
const notOfOperations: readonly ProblemCode[] = ['route_not_found', 'method_not_allowed'];

function problemResponses(): Record<string, object> {
  const codesByStatus = new Map<number, string[]>();
  for (const [code, { status }] of Object.entries(problems)) {
    if (notOfOperations.some((other) => other === code)) continue;
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, object> = {};
  for (const [status, codes] of codesByStatus) {
    responses[status] = {
      description: `Refused: ${codes.join(', ')}.`,
      headers: {
        ...(!statusesWithoutKey.includes(status) && rateLimitHeaders),
        ...(statusesToRetry.includes(status) && retryAfterHeader),
      },
      content: { [problemMediaType]: { schema: problemReference } },
    };
  }
  return responses;
}

function publicGet(operationId: string, { summary, parameters, replies }: PublicRoute): object {
  const responses = Object.fromEntries(
    Object.entries(replies).map(([status, { description, mediaType = 'application/json', schema = anyObject }]) => [
      status,
      { description, content: { [mediaType]: { schema } } },
    ]),
  );
  return { operationId, summary, ...(parameters && { parameters }), security: [], responses };
}

const anyObject = { type: 'object' };
