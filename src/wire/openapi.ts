import { type TObject, Type } from 'typebox';
import { type ProblemCode, problems } from '../errors.ts';
import {
  type FieldName,
  fieldExamples,
  fieldSchemas,
  fieldsOf,
  optionFields,
  paths,
  type RequestKind,
} from './fields.ts';
import { readinessSchema } from './readiness.ts';
import { problemMediaType, problemSchema, replySchemas } from './replies.ts';

/** The OpenAPI 3.1 document of the service, made from the same field, reply and problem tables that the service runs on. */
export function openApiDocument(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'splwright',
      version,
      summary: 'Builds unsigned SPL token transfers on Solana.',
      description:
        'Say who pays whom, in which token, how much. The reply is a transaction that will land once the sender signs ' +
        'and submits it, or the exact reason why it would not. The service holds no key, signs nothing and submits nothing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ apiKey: [] }],
    paths: {
      [paths.memoTransfer]: {
        post: operation('buildTokenTransfer', 'Build a token transfer with a memo', ['memo_transfer', 'yid_transfer']),
      },
      [paths.createTransfer]: {
        post: operation(
          'buildCreateTokenAccountTransfer',
          "Build a token transfer that creates the recipient's token account if it is missing",
          ['create_transfer'],
        ),
      },
      '/livez': { get: plainGet('isAlive', 'Whether the process runs', { 200: 'It runs.' }) },
      '/readyz': {
        get: plainGet(
          'isReady',
          'Whether the service can build transfers now',
          { 200: 'It can.', 503: 'It cannot.' },
          readinessSchema,
        ),
      },
    },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, beginning with swk_.' } },
      schemas: { Problem: problemSchema },
    },
  };
}

function operation(operationId: string, summary: string, kinds: readonly RequestKind[]): object {
  const requests = kinds.map(requestSchema);
  const replies = kinds.map((kind) => replySchemas[kind]);
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
          examples: Object.fromEntries(kinds.map((kind) => [kind, { value: exampleOf(kind) }])),
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

function requestSchema(kind: RequestKind): TObject {
  const needed: readonly FieldName[] = fieldsOf[kind];
  // The memo is an option of the create operation, under either name.
  const options: readonly FieldName[] = kind === 'create_transfer' ? ['memo', 'yid', ...optionFields] : optionFields;
  const properties = Object.fromEntries([
    ...needed.map((name) => [name, fieldSchemas[name]]),
    ...options.map((name) => [name, Type.Optional(fieldSchemas[name])]),
  ]);
  return Type.Object(properties, {
    additionalProperties: false,
    ...(kind === 'create_transfer' && { not: { required: ['memo', 'yid'] } }),
  });
}

function exampleOf(kind: RequestKind): Record<string, string> {
  return Object.fromEntries(fieldsOf[kind].map((name) => [name, fieldExamples[name]]));
}

// draft-ietf-httpapi-ratelimit-headers-11: lists of structured field items, here always of one.
const rateLimitHeaders = {
  RateLimit: {
    description: 'The requests left (`r`) in this window of the API key, and the seconds until it ends (`t`).',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=599;t=42',
  },
  'RateLimit-Policy': {
    description: 'The requests (`q`) that the API key may make in a window, and its seconds (`w`).',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=60$' },
    example: '"default";q=600;w=60',
  },
};

const replyHeaders = {
  'Solana-Blockhash': { description: 'The blockhash in the transaction, or the nonce.', schema: { type: 'string' } },
  'Solana-Last-Valid-Block-Height': {
    description: 'The last block height at which the transaction can land; absent with a nonce, which has none.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  ...rateLimitHeaders,
  'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string' } },
};

const retryAfterHeader = {
  'Retry-After': { description: 'Seconds after which a retry makes sense.', schema: { type: 'integer', minimum: 0 } },
};

// Refused before it is known whose request it is: no budget was touched.
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
      content: { [problemMediaType]: { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
  return responses;
}

function plainGet(
  operationId: string,
  summary: string,
  statuses: Readonly<Record<number, string>>,
  schema: object = { type: 'object' },
): object {
  const responses = Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema } } },
    ]),
  );
  return { operationId, summary, security: [], responses };
}
