import type { PublicRoute, RouteReply } from '../routes/route.ts';
import { problemResponse, publicProblemResponses } from './problem-responses.ts';

/** Describes a route that anyone may read. */
export function publicOperation(operationId: string, route: PublicRoute): object {
  const { summary, description, tag, parameters, request, replies, refusals = {} } = route;
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
    ...(parameters && { parameters }),
    ...(request && { requestBody: { required: true, content: { 'application/json': request } } }),
    security: [],
    responses,
  };
}

/** Describes a reply that is no refusal. */
export function describeReply(reply: RouteReply, headers?: object): object {
  const { mediaType = 'application/json', schema, example, examples, description } = reply;
  const all = { ...reply.headers, ...headers };
  const shown = { ...(example !== undefined && { example }), ...(examples && { examples }) };
  return {
    description,
    ...(Object.keys(all).length > 0 && { headers: all }),
    content: { [mediaType]: { schema, ...shown } },
  };
}
