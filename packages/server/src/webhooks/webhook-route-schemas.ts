import { Type } from 'typebox';
import { keyedHeaders, refusalsOf, replyOf } from '../app/route-schema.ts';
import type { ProblemCode } from '../problems.ts';
import {
  endpointBody,
  endpointListSchema,
  endpointReplySchema,
  eventListSchema,
  eventQuerySchema,
  eventReplySchema,
  exampleEndpoint,
  exampleEvent,
  secretReplySchema,
  webhookStatusTexts,
} from './webhook-schema.ts';

/** The path of the endpoints of webhooks. */
export const endpointsPath = '/v1/webhook-endpoints';
/** The path of one endpoint. */
export const endpointPath = `${endpointsPath}/:id`;
/** The path of events. */
export const eventsPath = '/v1/events';

const tags = ['Webhooks'];
// Nothing is built.
const config = { usage: 'answered' as const };
const secret = 'whsec_8vYz2nTqS0u1mWb4rJk7pXc5dEg9hLo3aQfNi6tVwBM=';

const endpointId = Type.Object({
  id: Type.String({ description: 'The `id` of the endpoint.', examples: [exampleEndpoint.id] }),
});
const eventId = Type.Object({
  id: Type.String({ description: 'The `id` of the event.', examples: [exampleEvent.id] }),
});

const refusals = (...own: readonly ProblemCode[]) => refusalsOf(['keyed'], ['key_not_allowed', 'webhooks_unavailable', ...own]);
const ofQuery: readonly ProblemCode[] = ['invalid_request', 'invalid_value', 'unknown_field'];
const ofEmptyBody: readonly ProblemCode[] = [
  'invalid_json',
  'invalid_request',
  'unknown_field',
  'wrong_type',
  'body_too_large',
  'unsupported_media_type',
];

/** The options of the route that makes an endpoint. */
export const createEndpointRoute = {
  config,
  schema: {
    operationId: 'createWebhookEndpoint',
    summary: 'Make an endpoint',
    description:
      'Events of what this API key and those it replaced have made are posted to its URL, signed as Standard Webhooks has it. Each is ' +
      'sent at least once, and repeated for three days until it is answered with a 2xx status within 10 seconds.',
    tags,
    body: endpointBody,
    response: {
      201: replyOf('The endpoint, with its secret, which is not shown again.', secretReplySchema('created'), {
        headers: {
          Location: { type: 'string', description: 'Where the endpoint can be read, relative to the service.' },
          ...keyedHeaders,
        },
        examples: { created: { value: { data: { ...exampleEndpoint, secret }, status: webhookStatusTexts.created } } },
      }),
      ...refusals(...ofQuery, 'invalid_json', 'missing_field', 'wrong_type', 'body_too_large', 'unsupported_media_type', 'too_many_webhook_endpoints'),
    },
  },
};

/** The options of the route that lists endpoints. */
export const listEndpointsRoute = {
  config,
  schema: {
    operationId: 'listWebhookEndpoints',
    summary: 'List the endpoints',
    description: 'All endpoints of this API key and those it replaced, the oldest first, without their secrets.',
    tags,
    response: {
      200: replyOf('The endpoints.', endpointListSchema, {
        headers: keyedHeaders,
        examples: { endpoints: { value: { data: [exampleEndpoint], status: webhookStatusTexts.listed } } },
      }),
      ...refusals(),
    },
  },
};

/** The options of the route that reads an endpoint. */
export const readEndpointRoute = {
  config,
  schema: {
    operationId: 'readWebhookEndpoint',
    summary: 'Read an endpoint',
    description: 'Says whether its deliveries succeed, and why it was disabled.',
    tags,
    params: endpointId,
    response: {
      200: replyOf('The endpoint.', endpointReplySchema('found'), {
        headers: keyedHeaders,
        examples: { found: { value: { data: exampleEndpoint, status: webhookStatusTexts.found } } },
      }),
      ...refusals('webhook_endpoint_not_found'),
    },
  },
};

/** The options of the route that deletes an endpoint. */
export const deleteEndpointRoute = {
  config,
  schema: {
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete an endpoint',
    description: 'Nothing is sent to it from then on, but what is on its way.',
    tags,
    params: endpointId,
    response: {
      200: replyOf('The endpoint that was deleted.', endpointReplySchema('deleted'), {
        headers: keyedHeaders,
        examples: { deleted: { value: { data: exampleEndpoint, status: webhookStatusTexts.deleted } } },
      }),
      ...refusals(...ofEmptyBody, 'webhook_endpoint_not_found'),
    },
  },
};

/** The options of the route that gives an endpoint a new secret. */
export const rotateSecretRoute = {
  config,
  schema: {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description:
      'Gives the endpoint a new secret. For 24 hours each delivery has a signature by the new one and one by the one before.',
    tags,
    params: endpointId,
    response: {
      200: replyOf('The endpoint, with its new secret, which is not shown again.', secretReplySchema('rotated'), {
        headers: keyedHeaders,
        examples: { rotated: { value: { data: { ...exampleEndpoint, secret }, status: webhookStatusTexts.rotated } } },
      }),
      ...refusals(...ofEmptyBody, 'webhook_endpoint_not_found'),
    },
  },
};

/** The options of the route that sends a test event. */
export const testEndpointRoute = {
  config,
  schema: {
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description: 'Sends an event of the type `webhook.test` to the endpoint. One that was disabled is enabled again.',
    tags,
    params: endpointId,
    response: {
      202: replyOf('The event: `GET /v1/events` says what came of it.', eventReplySchema, {
        headers: keyedHeaders,
        examples: { sent: { value: { data: exampleEvent, status: webhookStatusTexts.sent } } },
      }),
      ...refusals(...ofEmptyBody, 'webhook_endpoint_not_found'),
    },
  },
};

/** The options of the route that lists events. */
export const listEventsRoute = {
  config,
  schema: {
    operationId: 'listEvents',
    summary: 'List the events',
    description:
      'The events of the last 30 days of this API key and those it replaced, the newest first, each with what came of its deliveries. ' +
      'They are recorded as soon as there is an endpoint.',
    tags,
    querystring: eventQuerySchema,
    response: {
      200: replyOf('The events.', eventListSchema, {
        headers: keyedHeaders,
        examples: { page: { value: { data: [exampleEvent], status: webhookStatusTexts.eventsListed } } },
      }),
      ...refusals(...ofQuery),
    },
  },
};

/** The options of the route that sends an event again. */
export const redeliverRoute = {
  config,
  schema: {
    operationId: 'redeliverEvent',
    summary: 'Send an event again',
    description:
      'Sends the event at once, to every endpoint that takes its type and is not disabled, also to those that had it and those made since.',
    tags,
    params: eventId,
    response: {
      202: replyOf('The event: `GET /v1/events` says what came of it.', eventReplySchema, {
        headers: keyedHeaders,
        examples: { sent: { value: { data: exampleEvent, status: webhookStatusTexts.sent } } },
      }),
      ...refusals(...ofEmptyBody, 'event_not_found'),
    },
  },
};
