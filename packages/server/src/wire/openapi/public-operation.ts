import type { PublicRoute } from '../routes.ts';
import { problemResponse, publicProblemResponses } from './problem-responses.ts';

/** Describes a route that anyone may read. */
export function publicGet(operationId: string, route: PublicRoute): object {
  const { summary, description, tag, parameters, replies, refusals = {} } = route;
  const responses = Object.fromEntries([
    ...Object.entries(replies).map(
      ([status, { mediaType = 'application/json', schema, example, description: meaning }]) => [
        status,
        { description: meaning, content: { [mediaType]: { schema, ...(example !== undefined && { example }) } } },
      ],
    ),
    ...Object.entries(publicProblemResponses()),
    ...Object.entries(refusals).map(([status, refusal]) => [
      status,
      problemResponse(refusal.description, [refusal.code], {}),
    ]),
  ]);
  return { operationId, summary, description, tags: [tag], ...(parameters && { parameters }), security: [], responses };
}
