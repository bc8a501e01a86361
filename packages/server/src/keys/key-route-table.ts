import type { ResourceRoute } from '../app/openapi/route.ts';
import { exampleKey, keyReplySchema, keyStatusText } from './key-schema.ts';

/** The routes of API keys, by their `operationId`. */
export const keyRoutes = {
  readApiKey: {
    method: 'GET',
    path: '/v1/key',
    summary: 'Read the key',
    description:
      'The name of the API key of the request, what it is limited to, what it has used today, and what is left. Any key may ask. ' +
      'No other key and no text of a key is shown.',
    tag: 'Service',
    needsKey: true,
    operations: [],
    takesIdempotencyKey: false,
    parameters: [],
    replies: {
      200: {
        description: 'The key.',
        schema: keyReplySchema,
        examples: { limited: { value: { data: exampleKey, status: keyStatusText } } },
      },
    },
    // A limit of a day holds for one ledger, which a node must have named once.
    refusals: ['upstream_error', 'upstream_unavailable', 'upstream_timeout'],
  },
} as const satisfies Readonly<Record<string, ResourceRoute>>;
