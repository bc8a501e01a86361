import { outcomeReplySchema, outcomeRequestSchema } from '../outcome/outcome-schema.ts';
import type { OutcomeRoute } from '../routes/route.ts';
import { keyedHeaders } from './headers.ts';
import { outcomeExamples } from './outcome-examples.ts';
import { outcomeProblemResponses } from './problem-responses.ts';

/** Describes the route that finds outcomes. */
export function outcomePost(operationId: string, route: OutcomeRoute): object {
  const { summary, description, tag, requestRule } = route;
  const { requests, replies } = outcomeExamples;
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: outcomeRequestSchema(requestRule), examples: requests } },
    },
    responses: {
      200: {
        description: 'What became of the transactions, also where that cannot be told.',
        headers: keyedHeaders,
        content: { 'application/json': { schema: outcomeReplySchema, examples: replies } },
      },
      ...outcomeProblemResponses(),
    },
  };
}
