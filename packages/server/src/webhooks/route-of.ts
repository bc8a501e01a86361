import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { keyedHeaders, refusalsOf, replyOf } from '../app/route-schema.ts';
import { closed, enumeration } from '../app/schema-parts.ts';
import { assertKeyAllowsWebhooks } from '../keys/key-permission.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { AppError, type ProblemCode } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';

/** The data of a reply, and its other members beside `data` and `status`. */
interface RouteReply {
  /** The text of the status. */
  status: string;
  /** Without it: 200. */
  code?: 201 | 202;
  data: TSchema;
  example: unknown;
  members?: Readonly<Record<string, TSchema>>;
  headers?: Readonly<Record<string, object>>;
}

/** Returns the options of a route, which refuses by `own` codes besides those of every route of webhooks and incoming payments. */
export function routeOf<Route extends { operationId: string; place?: 'writing' | 'large' }>(
  { place, ...route }: Route,
  { status, code, data, example, members, headers }: RouteReply,
  own: readonly ProblemCode[],
) {
  const [initial = '', ...others] = `${route.operationId}Reply`;
  const component = `${initial.toUpperCase()}${others.join('')}`;
  const schema = Type.Object({ data, ...members, status: enumeration([status]) }, { component, ...closed });
  const reply = replyOf(`${status}.`, schema, {
    headers: { ...headers, ...keyedHeaders },
    examples: { [route.operationId]: { value: { data: example, status } } },
  });
  const refusals = refusalsOf(['keyed'], ['key_not_allowed', 'webhooks_unavailable', ...own]);
  return {
    // Nothing is built.
    config: { usage: 'answered' as const, ...(place && { place }) },
    schema: { ...route, tags: ['Webhooks'], response: { [code ?? 200]: reply, ...refusals } },
  };
}

/** The owner of what a request is about: that of its key, so that what others have is answered as none. Throws when it may not use webhooks. */
export function webhookOwnerOf(request: FastifyRequest): string {
  const { restrictions, rootId } = apiKeyOf(request);
  assertKeyAllowsWebhooks(restrictions);
  return rootId;
}

/** Returns what a database answers; throws `webhooks_unavailable` when it does not. */
export async function reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw new AppError('webhooks_unavailable', 'The database of webhooks does not answer now. Try again soon.', {
      retryAfterSeconds: storeRetrySeconds,
      cause: storeFaultOf(error),
    });
  }
}
