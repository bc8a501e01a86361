import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptEmptyBodies, assertEmptyBody, requireDeclaredJson } from '../app/json-body.ts';
import { cursorAfter, readCursor } from '../app/list-cursor.ts';
import { invalidRequest } from '../app/validate.ts';
import { assertKeyAllowsWebhooks } from '../keys/key-permission.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { AppError } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';
import { type EndpointRecords, type EndpointWithSecret, maxEndpoints, type WebhookEndpoint } from './endpoint-records.ts';
import type { EventRecords } from './event-records.ts';
import { endpointJson, eventJson } from './webhook-json.ts';
import {
  createEndpointRoute,
  deleteEndpointRoute,
  endpointPath,
  endpointsPath,
  eventsPath,
  listEndpointsRoute,
  listEventsRoute,
  readEndpointRoute,
  redeliverRoute,
  rotateSecretRoute,
  testEndpointRoute,
} from './webhook-route-schemas.ts';
import { webhookStatusTexts } from './webhook-schema.ts';

/** What the routes of webhooks use. */
export interface WebhookRouteOptions {
  webhooks: {
    endpoints: EndpointRecords;
    events: EventRecords;
    /** Whether events may be sent to this machine, without TLS: on the sandbox. */
    allowsPrivate: boolean;
  };
}

const defaultLimit = 20;

/** Registers the paths of webhooks, which need an API key. */
export function registerWebhookRoutes(app: FastifyInstance, { webhooks }: WebhookRouteOptions): void {
  const { endpoints, events, allowsPrivate } = webhooks;
  // The endpoints and events of another owner are answered as none.
  const ownerOf = (request: FastifyRequest): string => {
    const { restrictions, rootId } = apiKeyOf(request);
    assertKeyAllowsWebhooks(restrictions);
    return rootId;
  };

  app.register(async (scope) => {
    requireDeclaredJson(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().post(endpointsPath, createEndpointRoute, async (request, reply) => {
      const ownerId = ownerOf(request);
      const { url, events: types = null, description = null } = request.body;
      assertUrl(url, allowsPrivate, request.body);
      const made = await reached(endpoints.insert({ ownerId, url, types, description }, new Date()));
      if (!made) throw tooManyEndpoints();
      reply.code(201).header('location', `${endpointsPath}/${made.id}`);
      return { data: withSecret(made), status: webhookStatusTexts.created };
    });
  });
  app.get(endpointsPath, listEndpointsRoute, async (request) => {
    const list = await reached(endpoints.list(ownerOf(request)));
    return { data: list.map(endpointJson), status: webhookStatusTexts.listed };
  });
  app.get(endpointPath, readEndpointRoute, async (request) => {
    const endpoint = found(await reached(endpoints.find(ownerOf(request), idOf(request))));
    return { data: endpointJson(endpoint), status: webhookStatusTexts.found };
  });
  app.withTypeProvider<TypeBoxTypeProvider>().get(eventsPath, listEventsRoute, async (request) => {
    const ownerId = ownerOf(request);
    const { type, object: objectId, limit = defaultLimit, cursor } = request.query;
    const before = cursor === undefined ? undefined : readEventCursor(cursor, request.query);
    // One more than is shown says whether there is another page.
    const list = await reached(
      events.list(ownerId, {
      ...(type !== undefined && { type }),
      ...(objectId !== undefined && { objectId }),
      ...(before && { before }),
      limit: limit + 1,
    }));
    const shown = list.slice(0, limit);
    const last = list.length > limit ? shown.at(-1) : undefined;
    const next = last && { next_cursor: cursorAfter(last) };
    return { data: shown.map(eventJson), ...next, status: webhookStatusTexts.eventsListed };
  });
  app.register(async (scope) => {
    acceptEmptyBodies(scope);
    scope.addHook('preHandler', async ({ body }) => assertEmptyBody(body));
    scope.delete(endpointPath, deleteEndpointRoute, async (request) => {
      const endpoint = found(await reached(endpoints.delete(ownerOf(request), idOf(request))));
      return { data: endpointJson(endpoint), status: webhookStatusTexts.deleted };
    });
    scope.post(`${endpointPath}/rotate-secret`, rotateSecretRoute, async (request) => {
      const endpoint = found(await reached(endpoints.rotate(ownerOf(request), idOf(request), new Date())));
      return { data: withSecret(endpoint), status: webhookStatusTexts.rotated };
    });
    scope.post(`${endpointPath}/test`, testEndpointRoute, async (request, reply) => {
      const ownerId = ownerOf(request);
      const endpoint = found(await reached(endpoints.find(ownerId, idOf(request))));
      const event = await reached(events.test(ownerId, endpoint.id, new Date()));
      reply.code(202);
      return { data: eventJson(event), status: webhookStatusTexts.sent };
    });
    scope.post(`${eventsPath}/:id/redeliver`, redeliverRoute, async (request, reply) => {
      const event = await reached(events.redeliver(ownerOf(request), idOf(request), new Date()));
      if (!event) throw new AppError('event_not_found', 'There is no event with this id.');
      reply.code(202);
      return { data: eventJson(event), status: webhookStatusTexts.sent };
    });
  });
}

async function reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw new AppError('webhooks_unavailable', 'The database of webhooks does not answer now. Try again soon.', {
      retryAfterSeconds: storeRetrySeconds,
      cause: storeFaultOf(error),
    });
  }
}

function withSecret(endpoint: EndpointWithSecret) {
  return { ...endpointJson(endpoint), secret: endpoint.secret };
}

function idOf(request: FastifyRequest): string {
  return String(Object(request.params).id);
}

function found<Endpoint extends WebhookEndpoint>(endpoint: Endpoint | undefined): Endpoint {
  if (endpoint) return endpoint;
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
  const parsed = URL.parse(url);
  const fault = !parsed
    ? 'is not a URL'
    : parsed.protocol === 'https:' || allowsPrivate
      ? undefined
      : 'must begin with https://: what is sent is about money';
  if (fault === undefined) return;
  throw invalidRequest([{ code: 'invalid_value', pointer: '/url', detail: `url ${fault}.` }], body);
}

function readEventCursor(text: string, query: unknown) {
  const position = readCursor(text, /^evt_[0-9a-f]{24}$/);
  if (position) return position;
  const detail = 'cursor is not one that this list gave. Send next_cursor as it is, or leave it out.';
  throw invalidRequest([{ code: 'invalid_value', pointer: '/cursor', detail }], query);
}
