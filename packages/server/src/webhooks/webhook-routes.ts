import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { acceptEmptyBodies, assertEmptyBody, refusalsOfEmptyBodies, requireDeclaredJson } from '../app/json-body.ts';
import { nextCursor, pageIn, shownOf } from '../app/list-cursor.ts';
import { invalidRequest } from '../app/validate.ts';
import { AppError } from '../problems.ts';
import { type EndpointRecords, maxEndpoints } from './endpoint-records.ts';
import type { EventRecords } from './event-records.ts';
import { reached, routeOf, webhookOwnerOf } from './route-of.ts';
import {
  endpointBody,
  endpointJson,
  endpointSchema,
  endpointWithSecretSchema,
  eventJson,
  eventQuerySchema,
  eventSchema,
  exampleEndpoint,
  exampleEvent,
  exampleWithSecret,
} from './webhook-schema.ts';

export interface WebhookRouteOptions {
  webhooks: {
    endpoints: EndpointRecords;
    events: EventRecords;
    /** Whether events may be sent to this machine, without TLS: on the sandbox. */
    allowsPrivate: boolean;
  };
}

const endpointsPath = '/v1/webhook-endpoints';
const endpointPath = `${endpointsPath}/:id`;
const eventsPath = '/v1/events';

/** Registers the paths of webhooks, which need an API key. */
export function registerWebhookRoutes(app: FastifyInstance, { webhooks }: WebhookRouteOptions): void {
  const { endpoints, events, allowsPrivate } = webhooks;
  app.register(async (scope) => {
    requireDeclaredJson(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().post(endpointsPath, createEndpointRoute, async (request, reply) => {
      const ownerId = webhookOwnerOf(request);
      const { url, events: types, description = null } = request.body;
      assertUrl(url, allowsPrivate, request.body);
      const asked = { owner_id: ownerId, url, types: types ? JSON.stringify(types) : null, description };
      const made = await reached(endpoints.insert(asked, new Date()));
      if (!made) throw tooManyEndpoints();
      reply.code(201).header('location', `${endpointsPath}/${made.id}`);
      return { data: { ...endpointJson(made), secret: made.secret }, status: statusTexts.created };
    });
  });
  app.get(endpointsPath, listEndpointsRoute, async (request) => {
    const list = await reached(endpoints.list(webhookOwnerOf(request)));
    return { data: list.map(endpointJson), status: statusTexts.listed };
  });
  app.get(endpointPath, readEndpointRoute, async (request) => {
    const list = await reached(endpoints.list(webhookOwnerOf(request)));
    const endpoint = list.find(({ id }) => id === idOf(request)) ?? notFound();
    return { data: endpointJson(endpoint), status: statusTexts.found };
  });
  app.withTypeProvider<TypeBoxTypeProvider>().get(eventsPath, listEventsRoute, async (request) => {
    const ownerId = webhookOwnerOf(request);
    const page = pageIn(request.query, /^evt_[0-9a-f]{24}$/);
    const found = await reached(events.list(ownerId, { ...request.query, ...page }));
    const { shown, ...next } = shownOf(found, page, ({ created_at, id }) => ({ createdAt: new Date(created_at), id }));
    return { data: shown.map(eventJson), ...next, status: statusTexts.eventsListed };
  });
  app.register(async (scope) => {
    acceptEmptyBodies(scope);
    scope.addHook('preHandler', async ({ body }) => assertEmptyBody(body));
    scope.delete(endpointPath, deleteEndpointRoute, async (request) => {
      const endpoint = await reached(endpoints.delete(webhookOwnerOf(request), idOf(request)));
      return { data: endpointJson(endpoint ?? notFound()), status: statusTexts.deleted };
    });
    scope.post(`${endpointPath}/rotate-secret`, rotateSecretRoute, async (request) => {
      const endpoint =
        (await reached(endpoints.rotate(webhookOwnerOf(request), idOf(request), new Date()))) ?? notFound();
      return { data: { ...endpointJson(endpoint), secret: endpoint.secret }, status: statusTexts.rotated };
    });
    scope.post(`${endpointPath}/test`, testEndpointRoute, async (request, reply) => {
      const event = await reached(events.test(webhookOwnerOf(request), idOf(request), new Date()));
      reply.code(202);
      return { data: eventJson(event ?? notFound()), status: statusTexts.sent };
    });
    scope.post(`${eventsPath}/:id/redeliver`, redeliverRoute, async (request, reply) => {
      const event = await reached(events.redeliver(webhookOwnerOf(request), idOf(request), new Date()));
      if (!event) throw new AppError('event_not_found', 'There is no event with this id.');
      reply.code(202);
      return { data: eventJson(event), status: statusTexts.sent };
    });
  });
}

// A text that is no id, such as one with U+0000, which PostgreSQL does not take, is looked for as the empty one.
function idOf(request: FastifyRequest): string {
  return /^[a-z0-9_]+$/.exec(String(Object(request.params).id))?.[0] ?? '';
}

function notFound(): never {
  throw new AppError('webhook_endpoint_not_found', 'There is no webhook endpoint with this id.');
}

function tooManyEndpoints(): AppError {
  return new AppError(
    'too_many_webhook_endpoints',
    `This API key, with those that it replaced, has ${maxEndpoints} webhook endpoints, and may have no more. Delete one first.`,
  );
}

/** Refuses a URL that is none, or without TLS on a real network. What it resolves to is checked with each connection. */
function assertUrl(url: string, allowsPrivate: boolean, body: unknown): void {
  const isFit = allowsPrivate || url.startsWith('https:');
  if (isFit && URL.canParse(url)) return;
  const detail = isFit ? 'url is not a URL.' : 'url must begin with https://: what is sent is about money.';
  throw invalidRequest([{ code: 'invalid_value', pointer: '/url', detail }], body);
}

const statusTexts = {
  created: 'webhook endpoint created successfully',
  listed: 'webhook endpoints listed successfully',
  found: 'webhook endpoint found successfully',
  deleted: 'webhook endpoint deleted successfully',
  rotated: 'webhook secret rotated successfully',
  eventsListed: 'events listed successfully',
  sent: 'event is being sent',
} as const;

const endpoint = { data: endpointSchema, example: exampleEndpoint };
const endpointWithSecret = { data: endpointWithSecretSchema, example: exampleWithSecret };
const sentEvent = { status: statusTexts.sent, code: 202, data: eventSchema, example: exampleEvent } as const;
const ofEndpoint = {
  params: Type.Object({ id: Type.String({ description: 'Its `id`.', examples: [exampleEndpoint.id] }) }),
};
const ofEvent = {
  params: Type.Object({ id: Type.String({ description: 'Its `id`.', examples: [exampleEvent.id] }) }),
};

const createEndpointRoute = routeOf(
  {
    operationId: 'createWebhookEndpoint',
    summary: 'Make an endpoint',
    description:
      'Events of what this API key and those it replaced have made are posted to its URL, signed as Standard Webhooks has it. Each is ' +
      'sent at least once, and repeated for three days until it is answered with a 2xx status within 10 seconds.',
    place: 'writing',
    body: endpointBody,
  },
  {
    status: statusTexts.created,
    code: 201,
    ...endpointWithSecret,
    headers: {
      Location: { type: 'string', description: 'Where the endpoint can be read, relative to the service.' },
    },
  },
  [...refusalsOfEmptyBodies, 'invalid_value', 'missing_field', 'too_many_webhook_endpoints'],
);
const listEndpointsRoute = routeOf(
  {
    operationId: 'listWebhookEndpoints',
    summary: 'List the endpoints',
    description: 'All endpoints of this API key and those it replaced, the oldest first, without their secrets.',
  },
  { status: statusTexts.listed, data: Type.Array(endpointSchema), example: [exampleEndpoint] },
  [],
);
const readEndpointRoute = routeOf(
  {
    operationId: 'readWebhookEndpoint',
    summary: 'Read an endpoint',
    description: 'Says whether its deliveries succeed, and why it was disabled.',
    ...ofEndpoint,
  },
  { status: statusTexts.found, ...endpoint },
  ['webhook_endpoint_not_found'],
);
const deleteEndpointRoute = routeOf(
  {
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete an endpoint',
    description: 'From then on nothing is sent to it. Its test events are deleted with it.',
    place: 'writing',
    ...ofEndpoint,
  },
  { status: statusTexts.deleted, ...endpoint },
  [...refusalsOfEmptyBodies, 'webhook_endpoint_not_found'],
);
const rotateSecretRoute = routeOf(
  {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description:
      'Gives the endpoint a new secret. For 24 hours each delivery has a signature by the new one and one by the one before.',
    place: 'writing',
    ...ofEndpoint,
  },
  { status: statusTexts.rotated, ...endpointWithSecret },
  [...refusalsOfEmptyBodies, 'webhook_endpoint_not_found'],
);
const testEndpointRoute = routeOf(
  {
    operationId: 'testWebhookEndpoint',
    summary: 'Test an endpoint',
    description:
      'Sends an event of the type `webhook.test` to the endpoint. One that was disabled is enabled again. The last 20 are kept.',
    place: 'writing',
    ...ofEndpoint,
  },
  sentEvent,
  [...refusalsOfEmptyBodies, 'webhook_endpoint_not_found'],
);
const listEventsRoute = routeOf(
  {
    operationId: 'listEvents',
    summary: 'List the events',
    description:
      'The events of the last 30 days of this API key and those it replaced, the newest first, each with what came of its deliveries. ' +
      'They are recorded as soon as there is an endpoint.',
    place: 'large',
    querystring: eventQuerySchema,
  },
  {
    status: statusTexts.eventsListed,
    data: Type.Array(eventSchema),
    example: [exampleEvent],
    members: { next_cursor: nextCursor },
  },
  ['invalid_request', 'invalid_value', 'unknown_field'],
);
const redeliverRoute = routeOf(
  {
    operationId: 'redeliverEvent',
    summary: 'Redeliver an event',
    description:
      'Sends the event at once, to every endpoint that takes its type and is not disabled, also to those that had it and those made since.',
    place: 'writing',
    ...ofEvent,
  },
  sentEvent,
  [...refusalsOfEmptyBodies, 'event_not_found'],
);
