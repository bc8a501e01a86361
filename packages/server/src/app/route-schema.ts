import { type TSchema, Type } from 'typebox';
import { type ProblemCode, problems, type RouteGroup, routesOf } from '../problems.ts';
import { problemBody, problemMediaType, problemSchema } from './problem-schema.ts';

// How routes describe themselves to `@fastify/swagger`: what stands here is the same on many routes.

/** The groups of routes, by name, and what each is for. */
export const tags = {
  Transfers: 'Building unsigned transactions, and what became of them.',
  'Payment links': 'Links that any wallet can pay, and what was paid.',
  Webhooks: 'Being told what happened, instead of asking.',
  Service: 'Whether the service works, and what it says of itself.',
  Sandbox: 'The ledger that a service without a real network runs on.',
} as const;

const requestIdHeader = {
  'X-Request-Id': {
    type: 'string',
    description: 'The id of this request: the one that it was sent with, otherwise one that the service made.',
    examples: ['0b0bc6a4-3d5c-4d4e-9f0b-2f5a1c1d7e11'],
  },
};

// draft-ietf-httpapi-ratelimit-headers-11: lists of structured field items, here always of one.
const rateLimitHeaders = {
  RateLimit: {
    type: 'string',
    description:
      'The requests left (`r`) in the current window of the API key, and the seconds until the window ends (`t`). Absent ' +
      'for a key without a limit, and on a refusal from before the key was checked, such as `overloaded`.',
    pattern: '^"default";r=[0-9]+;t=[0-9]+$',
    examples: ['"default";r=599;t=42'],
  },
  'RateLimit-Policy': {
    type: 'string',
    description: 'The requests (`q`) that the API key may make in a window, and the seconds in a window (`w`).',
    pattern: '^"default";q=[0-9]+;w=60$',
    examples: ['"default";q=600;w=60'],
  },
};

/** The headers of every reply to a request with a key. */
export const keyedHeaders = { ...rateLimitHeaders, ...requestIdHeader };

/** The header of a reply that was built before. */
export const replayedHeader = {
  'Idempotency-Replayed': {
    type: 'string',
    description:
      'On a retry with the same `Idempotency-Key`: this is the reply that was built before. Otherwise absent.',
    enum: ['true'],
    examples: ['true'],
  },
};

/** The request headers of a route that can be repeated without paying twice. */
export const idempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description:
        'Your own ID for this payment or link; reuse it on every retry, with the same body. That gets the same link, or the same ' +
        'transaction while it can land; then the payment is refused if it landed, and built again if it never can.',
      pattern: '^[!-~]{1,255}$',
    }),
  ),
});

const retryAfterHeader = {
  'Retry-After': { type: 'integer', description: 'Seconds after which a retry makes sense.', minimum: 0 },
};

interface ReplyDetails {
  /** Without it: `application/json`. */
  mediaType?: string;
  headers?: Readonly<Record<string, object>>;
  /** By their names. */
  examples?: Readonly<Record<string, { value: unknown }>>;
}

/** Describes a reply that is no refusal. */
export function replyOf(
  description: string,
  schema: TSchema,
  { mediaType = 'application/json', headers, examples }: ReplyDetails = {},
): object {
  return {
    description,
    ...(headers && { headers }),
    content: { [mediaType]: { schema, ...(examples && { examples }) } },
  };
}

// Refused before the key is known: no request was counted.
const statusesWithoutKey: readonly number[] = [401, 408, 431];
const statusesToRetry: readonly number[] = [409, 429, 503];

const exampleRequestId = '0b0bc6a4-3d5c-4d4e-9f0b-2f5a1c1d7e11';

/** The refusals of a route, by status: those of its groups in the table of problems, and `own` ones. */
export function refusalsOf(groups: readonly RouteGroup[], own: readonly ProblemCode[] = []): Record<number, object> {
  const isKeyed = groups.includes('keyed');
  const codes = Object.keys(problems)
    .filter(isProblemCode)
    .filter(
      (code) => own.includes(code) || routesOf(code).some((group) => group === 'every' || groups.includes(group)),
    );
  return Object.fromEntries(
    [...Map.groupBy(codes, (code) => problems[code].status)].map(([status, each]) => {
      const headers = {
        ...(isKeyed && !statusesWithoutKey.includes(status) && rateLimitHeaders),
        ...(isKeyed && statusesToRetry.includes(status) && retryAfterHeader),
      };
      return [status, refusalOf(each, headers)];
    }),
  );
}

function refusalOf(codes: readonly ProblemCode[], headers: Readonly<Record<string, object>>): object {
  const [first = 'internal_error'] = codes;
  const example = problemBody(first, problems[first].remedy, exampleRequestId, {});
  const description = `Refused: ${codes.join(', ')}.`;
  return { description, headers, content: { [problemMediaType]: { schema: problemSchema, example } } };
}

function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text);
}
