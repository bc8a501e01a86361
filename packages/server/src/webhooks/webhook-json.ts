import type { WebhookEndpoint } from './endpoint-records.ts';
import type { StoredEvent } from './event-records.ts';
import type { EndpointJson, EventJson } from './webhook-schema.ts';

/** Returns an endpoint as JSON, with exactly the members of its schema. */
export function endpointJson(endpoint: WebhookEndpoint): EndpointJson {
  const { id, url, types, description, createdAt, failingSince, disabledAt, disabledReason } = endpoint;
  return {
    id,
    url,
    events: types && [...types],
    description,
    created_at: createdAt.toISOString(),
    failing_since: failingSince?.toISOString() ?? null,
    disabled_at: disabledAt?.toISOString() ?? null,
    disabled_reason: disabledReason,
  };
}

/** Returns an event as JSON, with exactly the members of its schema. */
export function eventJson(event: StoredEvent): EventJson {
  return {
    id: event.id,
    type: event.type,
    object_id: event.objectId,
    created_at: event.createdAt.toISOString(),
    payload: event.payload,
    deliveries: event.deliveries.map(({ endpointId, state, attempts, dueAt }) => ({
      endpoint_id: endpointId,
      state,
      next_attempt_at: dueAt?.toISOString() ?? null,
      attempts: attempts.map(({ at, ...attempt }) => ({ at: new Date(at).toISOString(), ...attempt })),
    })),
  };
}
